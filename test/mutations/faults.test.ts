import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { FAULTS } from './faults.ts'
import { applyFault } from './seed-fault.ts'

test.each(FAULTS.map((fault) => [fault.name, fault] as const))(
  'the code of the seeded fault %s is where the list says, and so are the tests that notice it',
  (_, fault) => {
    const text = readFileSync(fault.file, 'utf8')
    expect(applyFault(fault, text)).not.toBe(text)
    const [, file, tests] = fault.noticedBy
    expect(existsSync(file)).toBe(true)
    if (tests !== undefined) expect(readFileSync(file, 'utf8')).toContain(tests)
  },
)

test('there are forty-one, each with a name of its own', () => {
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(41)
})
