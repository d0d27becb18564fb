import { expect, test } from 'vitest'
import { type Prompt, answersOf, shortNameOf } from './connection-answers.ts'

const text = (path: string, more: Partial<Prompt> = {}): Prompt => ({ path, question: path, kind: 'text', ...more })
const by = (...ways: string[]) => ({ only_if: { path: 'order.via', is_one_of: ways } })
const PROMPTS: readonly Prompt[] = [
  text('catalog.format', { in_file: true, default: 'table' }),
  text('catalog.tax_rate', { kind: 'number', optional: true }),
  text('order.via', { choices: ['hand', 'email', 'http'], optional: true }),
  text('order.to', { kind: 'list', ...by('email') }),
  text('order.smtp', { secret: true, ...by('email') }),
  text('order.format', { default: 'csv', ...by('hand', 'email') }),
  text('order.format', { default: 'cxml', ...by('http') }),
  text('order.cxml.shared_secret', {
    secret: true,
    optional: true,
    only_if: { path: 'order.format', is_one_of: ['cxml'] },
  }),
]
const SAVED = {
  settings: { catalog: { columns: { sku: 'Item' } }, order: { via: 'email', to: ['a@b.example', 'c@d.example'] } },
  secrets: ['order.smtp'],
}
const MAIL = { order: { via: 'email', to: ['a@b.example'] } }
const paths = (asked: readonly Prompt[]) => asked.map(({ path }) => path)

test.each([
  ['nothing typed leaves everything', {}, SAVED.settings],
  ['an emptied secret stays', { 'order.smtp': '' }, SAVED.settings],
  [
    'a typed secret is sent',
    { 'order.smtp': 'smtp://x' },
    { ...SAVED.settings, order: { ...SAVED.settings.order, smtp: 'smtp://x' } },
  ],
  [
    'a list is split',
    { 'order.to': 'x@y.example' },
    { ...SAVED.settings, order: { via: 'email', to: ['x@y.example'] } },
  ],
  [
    'what is no number is sent as text, for the service to refuse',
    { 'catalog.tax_rate': '7 %' },
    { ...SAVED.settings, catalog: { ...SAVED.settings.catalog, tax_rate: '7 %' } },
  ],
  [
    'what is asked no more goes, its secrets too',
    { 'order.via': '' },
    { catalog: SAVED.settings.catalog, order: { smtp: null } },
  ],
  [
    'what is asked newly has its usual value',
    { 'order.via': 'http' },
    { catalog: SAVED.settings.catalog, order: { via: 'http', smtp: null, format: 'cxml' } },
  ],
])('%s', (_, typed, expected) => {
  expect(answersOf(PROMPTS, typed, SAVED).apply(structuredClone(SAVED.settings))).toEqual(expected)
})

test('an optional secret is taken away, and only that', () => {
  const settings = { order: { via: 'http', format: 'cxml' } }
  const saved = { settings, secrets: ['order.cxml.shared_secret'] }
  const { apply, textOf } = answersOf(PROMPTS, { 'order.cxml.shared_secret': null }, saved)
  expect(apply(structuredClone(settings))).toEqual({ order: { ...settings.order, cxml: { shared_secret: null } } })
  expect(PROMPTS.filter(({ secret }) => secret).map(textOf)).toEqual(['', ''])
})

test('what somebody else changed meanwhile stays', () => {
  const { apply } = answersOf(PROMPTS, { 'catalog.tax_rate': '7' }, SAVED)
  expect(apply(structuredClone(MAIL))).toEqual({ ...MAIL, catalog: { tax_rate: 7 } })
})

test('a saved value is shown as text, a secret never', () => {
  const { asked, textOf, isSet } = answersOf(PROMPTS, {}, SAVED)
  expect(asked.map((prompt) => [prompt.path, textOf(prompt), isSet(prompt)])).toEqual([
    ['catalog.tax_rate', '', false],
    ['order.via', 'email', false],
    ['order.to', 'a@b.example, c@d.example', false],
    ['order.smtp', '', true],
    ['order.format', '', false],
  ])
})

test('a new one: questions depend on answers and usual values', () => {
  expect(paths(answersOf(PROMPTS, {}).asked)).toEqual(['catalog.tax_rate', 'order.via'])
  expect(paths(answersOf(PROMPTS, { 'order.via': 'http' }).asked).slice(2)).toEqual([
    'order.format',
    'order.cxml.shared_secret',
  ])
  const found = { catalog: { columns: {}, tax_rate: 19 } }
  expect(answersOf(PROMPTS, { 'order.via': 'hand' }).apply(structuredClone(found))).toEqual({
    ...found,
    order: { via: 'hand', format: 'csv' },
  })
})

test.each([
  ['Tri-County', 'tricounty'],
  ['  Café Süd 2 ', 'cafesud2'],
  ['3M', 'm'],
  ['农夫', ''],
])('%j is named %j', (typed, name) => {
  expect(shortNameOf(typed)).toBe(name)
})
