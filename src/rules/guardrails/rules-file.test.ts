import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseRules, InvalidRules } from './rules-file.ts'

const FILE = {
  rules: { spendingLimitPerRun: 50_000, priceCapPerItem: 100, hardNoGos: ['烟草'], killSwitchEngaged: false },
  probationUntil: '2026-09-30T00:00:00+08:00',
  administrators: ['ou_owner'],
  administratorChats: ['oc_ops'],
}

test('the documented file is read field by field', () => {
  expect(parseRules(JSON.stringify(FILE))).toEqual({
    ...FILE.rules,
    autonomy: { restock: 'off', prices: 'off', swaps: 'off' },
    newProducts: false,
    layoutChangesPerVisit: 3,
    probationUntil: Date.parse('2026-09-30T00:00:00+08:00'),
    administrators: ['ou_owner'],
    administratorChats: ['oc_ops'],
  })
})

test('without probation and administrators there is none of either', () => {
  const parsed = parseRules(JSON.stringify({ rules: FILE.rules }))
  expect(parsed).toMatchObject({ probationUntil: undefined, administrators: [], administratorChats: [] })
  expect(parseRules(JSON.stringify({ ...FILE, probationUntil: null })).probationUntil).toBeUndefined()
})

test('whatever the file holds, it is read as rules of the right types or not at all', () => {
  const around = fc.record(
    {
      rules: fc.oneof(
        fc.jsonValue(),
        fc.record(
          {
            spendingLimitPerRun: fc.oneof(fc.jsonValue(), fc.nat()),
            priceCapPerItem: fc.oneof(fc.jsonValue(), fc.nat()),
            hardNoGos: fc.oneof(fc.jsonValue(), fc.array(fc.string())),
            killSwitchEngaged: fc.oneof(fc.jsonValue(), fc.boolean()),
          },
          { requiredKeys: [] },
        ),
      ),
      probationUntil: fc.jsonValue(),
      administrators: fc.oneof(fc.jsonValue(), fc.array(fc.string())),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.oneof(around, fc.jsonValue()), (value) => {
      try {
        const rules = parseRules(JSON.stringify(value))
        expect(Number.isSafeInteger(rules.spendingLimitPerRun) && rules.spendingLimitPerRun >= 0).toBe(true)
        expect(Number.isSafeInteger(rules.priceCapPerItem) && rules.priceCapPerItem >= 0).toBe(true)
        expect(typeof rules.killSwitchEngaged).toBe('boolean')
        expect(rules.hardNoGos.every((entry) => typeof entry === 'string')).toBe(true)
        expect(rules.administrators.every((entry) => typeof entry === 'string')).toBe(true)
      } catch (failure) {
        expect(failure).toBeInstanceOf(InvalidRules)
      }
    }),
  )
})

test('every problem of the file is named at once', () => {
  const rules = { spendingLimitPerRun: 1.5, priceCapPerItem: -1, hardNoGos: ['ok', 'x'.repeat(257)], limit: 1 }
  const file = { rules, probationUntil: '2026-09-30', administrators: 'ou_owner', admins: [] }
  expect(() => parseRules(JSON.stringify(file))).toThrow(
    [
      'the file has an unknown field "admins"',
      'rules.killSwitchEngaged is missing',
      'rules has an unknown field "limit"',
      'rules.spendingLimitPerRun must be a whole number of fen',
      'rules.priceCapPerItem must be a whole number of fen',
      'rules.hardNoGos.1 must be text of at most 256 characters',
      'probationUntil must be an RFC 3339 time with an offset, or null',
      'administrators must be a list of at most 1000 texts',
    ].join('; '),
  )
  expect(() => parseRules('[]')).toThrow('the file must be an object')
  expect(() => parseRules('{')).toThrow('the file is not JSON')
})

test('fields of Object.prototype are unknown fields, not inherited ones', () => {
  expect(() => parseRules(`{"rules": ${JSON.stringify(FILE.rules)}, "__proto__": {}}`)).toThrow(
    'unknown field "__proto__"',
  )
  expect(() => parseRules(`{"__proto__": {"rules": ${JSON.stringify(FILE.rules)}}}`)).toThrow('rules is missing')
})

test('a field that appears twice in one object makes the file invalid, however it is escaped', () => {
  const file = (rules: string, more = '') => `{"rules": {${rules}}${more}}`
  const rules =
    '"spendingLimitPerRun": 1, "priceCapPerItem": 2, "hardNoGos": ["a:\\"b\\": {"], "killSwitchEngaged": true'
  expect(parseRules(file(rules)).killSwitchEngaged).toBe(true)
  for (const [text, name] of [
    [file(`${rules}, "killSwitchEngaged": false`), 'killSwitchEngaged'],
    [file(`"spendingLimitPerRun": 9, ${rules}`), 'spendingLimitPerRun'],
    [file(`${rules}, "\\u0070riceCapPerItem" : 2`), 'priceCapPerItem'],
    [file(rules, `, "rules": {${rules}}`), 'rules'],
    [file(rules, ', "administrators": [], "administrators": ["mallory"]'), 'administrators'],
  ] as const)
    expect(() => parseRules(text), text).toThrow(`the field "${name}" appears twice`)
})

test('for any JSON, exactly a repeated name of one object is found', () => {
  const name = fc.oneof(fc.string(), fc.constantFrom('rules', '"', '\\', '{', ':'))
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1 }), fc.jsonValue(), fc.nat(), (names, value, nth) => {
      const members = names.map((each) => `${JSON.stringify(each)} : ${JSON.stringify(value)}`)
      const again = members[nth % members.length] as string
      const problem = (text: string) => {
        try {
          parseRules(text)
        } catch (failure) {
          return (failure as Error).message
        }
        return ''
      }
      expect(problem(`{${members.join()}}`)).not.toContain('twice')
      expect(problem(`[{${[...members, again].join()}}]`)).toContain('twice')
    }),
  )
})
