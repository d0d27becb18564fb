import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { Day, SkuId, Timestamp } from '../contract/common.ts'
import { bodyValidator } from './parse.ts'

test('2.2 a value of the wrong form is refused with a description of the form, not with its pattern', () => {
  const BestBefore = Type.String({ format: 'date', description: 'Of all these units: they become one lot.' })
  const validate = bodyValidator(Type.Object({ sku_id: SkuId, from: Day, best_before: BestBefore, at: Timestamp }))
  expect(validate({ sku_id: 'nope', from: '2026-13-01', best_before: '31.12.2026', at: '2026-09-10' })).toEqual([
    expect.objectContaining({
      code: 'invalid',
      content: 'sku_id is not a valid SKU ID, such as acme-supply:SP1001',
      path: '$.sku_id',
    }),
    expect.objectContaining({ content: 'from is not a valid date, such as 2026-09-10' }),
    expect.objectContaining({ content: 'best_before is not a valid date, such as 2026-09-10' }),
    expect.objectContaining({
      content: 'at is not a valid time with a time zone, such as 2026-09-10T08:00:00+08:00',
    }),
  ])
})

test('2.2 limits and types are refused in plain words', () => {
  const schema = Type.Object({
    ids: Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
    count: Type.Integer({ minimum: 1, maximum: 9 }),
    note: Type.Optional(Type.String({ maxLength: 3 })),
  })
  const textsOf = (value: unknown) => bodyValidator(schema)(value).map(({ content }) => content)
  expect(textsOf({ ids: [], count: 0, note: 'long' })).toEqual([
    'ids must not be empty',
    'count must be at least 1',
    'note must have at most 3 characters',
  ])
  expect(textsOf({ ids: [''], count: '5' })).toEqual(['ids[0] must not be empty', 'count must be an integer'])
  expect(textsOf({ ids: ['a'], count: 10 })).toEqual(['count must be at most 9'])
  const pair = Type.Object({ pair: Type.Array(Type.String({ minLength: 2 }), { minItems: 2 }) })
  expect(bodyValidator(pair)({ pair: ['a'] }).map(({ content }) => content)).toEqual([
    'pair must have at least 2 entries',
    'pair[0] must have at least 2 characters',
  ])
})

test('of a union the form that was tried is the mistake, entry by entry', () => {
  const schema = Type.Object({ items: Type.Array(Type.Union([SkuId, Type.Object({ id: SkuId })])) })
  const pathsOf = (items: unknown[]) => bodyValidator(schema)({ items }).map(({ path }) => path)
  expect(pathsOf([{ id: 'junk' }])).toEqual(['$.items[0].id'])
  expect(pathsOf([{}])).toEqual(['$.items[0].id'])
  expect(pathsOf(['junk'])).toEqual(['$.items[0]'])
  expect(pathsOf([5, { id: 'junk' }, 'junk'])).toEqual(['$.items[0]', '$.items[1].id', '$.items[2]'])
})
