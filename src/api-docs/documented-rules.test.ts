/** Every rule of the rules file is described where an owner looks for it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openapi } from './openapi.ts'

const DOCS = join(import.meta.dirname, '../../docs')
const read = (name: string) => readFileSync(join(DOCS, name), 'utf8')

test('guardrails.md names every rule', () => {
  const { components } = openapi('http://localhost')
  const rules = Object.keys(components.schemas['GuardrailRules']?.properties ?? {})
  expect(rules.length).toBeGreaterThan(10)
  const page = read('guardrails.md')
  expect(rules.filter((rule) => !page.includes(`\`${rule}\``))).toEqual([])
})
