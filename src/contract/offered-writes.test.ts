/** What a role may not do is not offered: whatever the console writes with is asked for in a `needs` or a `may`. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Operation } from './operation.ts'
import { OPERATIONS, operationIds } from './operations.ts'

const ROOT = join(import.meta.dirname, '../console')
const SOURCES = globSync('**/*.tsx', { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), 'utf8'))
const ALL = SOURCES.join('\n')

test('every write of the console is offered by role', () => {
  const writes = operationIds.filter((id) => {
    const { write, roles }: Operation = OPERATIONS[id]
    return write !== undefined && roles !== 'anyone' && ALL.includes(`client.${id}(`)
  })
  expect(writes.length).toBeGreaterThan(10)
  expect(writes.filter((id) => !ALL.includes(`needs="${id}"`) && !ALL.includes(`may('${id}')`))).toEqual([])
})
