import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { faultRow } from './describe-fault.ts'
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

test('there are forty-five, each with a name of its own', () => {
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(45)
})

test('docs/reliability.md shows twenty of them as they are', () => {
  const document = readFileSync('docs/reliability.md', 'utf8')
  const shown = FAULTS.filter(({ name }) => document.includes(`\n| ${name} |`))
  expect(shown).toHaveLength(20)
  for (const fault of shown) expect(document).toContain(`\n${faultRow(fault)}\n`)
})
