/** Whoever adds a member to a request or an answer asserts it: one that no test names may hold anything. */
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Operation } from './operation.ts'
import { OPERATIONS } from './operations.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Of the contract, optional, and never sent: there is no value to assert. */
const NEVER_SENT: Readonly<Record<string, string>> = {
  content_type: 'every message is plain text, which is what its absence means',
  taxonomy: 'categories are the words of suppliers, of no taxonomy',
}

/** Every member, with the path of the first operation that has it. */
function membersOf(operations: readonly Operation[]): ReadonlyMap<string, string> {
  const members = new Map<string, string>()
  const seen = new Set<unknown>()
  const walk = (schema: unknown, path: string): void => {
    if (typeof schema !== 'object' || schema === null || seen.has(schema)) return
    seen.add(schema)
    const { properties = {}, ...rest } = schema as { readonly properties?: object }
    for (const name of Object.keys(properties)) if (!members.has(name)) members.set(name, path)
    for (const part of [...Object.values(properties), ...Object.values(rest)]) walk(part, path)
  }
  for (const { path, params, query, body, returns } of operations) walk([params, query, body, returns], path)
  return members
}

const MEMBERS = membersOf(Object.values(OPERATIONS))

test('every member of a request or an answer is named by a test', () => {
  const tests = globSync(['test/**/*.ts', 'src/**/*.test.ts'], { cwd: ROOT }).filter(
    (file) => basename(file) !== basename(import.meta.filename),
  )
  const named = new Set(tests.flatMap((file) => readFileSync(join(ROOT, file), 'utf8').match(/\w+/g) ?? []))
  expect(named.size).toBeGreaterThan(1000)
  const unnamed = [...MEMBERS].filter(([name]) => !named.has(name) && !Object.hasOwn(NEVER_SENT, name))
  expect(
    unnamed.map(([name, path]) => `${name} of ${path} is named by no test: assert it in a test of the operation`),
  ).toEqual([])
})

test('what is never sent is a member', () => {
  expect(Object.keys(NEVER_SENT).filter((name) => !MEMBERS.has(name))).toEqual([])
})
