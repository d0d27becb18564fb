import { describe, expect, test } from 'vitest'
import { CAPABILITIES, capabilityNames } from '../contract/capabilities.ts'
import { SCHEMA_NAMES, schemaDocument } from './extension-schemas.ts'

describe('the schema of an extension', () => {
  test.each(SCHEMA_NAMES)('9 %s names itself, its version and the protocol it needs', (name) => {
    expect(schemaDocument(name, 'https://example.com/s')).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `https://example.com/s/2026-09-10/${name}.json`,
      name: `com.example.vending.${name}`,
      version: '2026-09-10',
      requires: { protocol: { min: '2026-08-25' } },
    })
  })

  test('9 has one entry for every capability it extends, and for no other', () => {
    const [expected, found] = [new Map<string, string[]>(), new Map<string, string[]>()]
    for (const capability of capabilityNames) {
      const entry = CAPABILITIES[capability]
      if (entry.kind === 'standard') continue
      const { $defs } = schemaDocument(entry.short)
      expected.set(capability, [...entry.extends].toSorted())
      found.set(capability, capabilityNames.filter((name) => name in $defs).toSorted())
    }
    expect(found).toEqual(expected)
  })

  test.each(SCHEMA_NAMES)('every reference of %s stays inside it or leads to the official release', (name) => {
    const document = schemaDocument(name)
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref ?? '')
    const known = new Set(Object.keys(document.$defs).map((entry) => `#/$defs/${entry}`))
    const strays = refs.filter((ref) => !known.has(ref) && !ref.startsWith('https://ucp.dev/2026-08-25/schemas/'))
    expect(strays).toEqual([])
  })
})
