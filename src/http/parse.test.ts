import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { Day, SkuId } from '../contract/common.ts'
import { bodyValidator } from './parse.ts'

test('2.2 a value of the wrong form is refused with a description of the form, not with its pattern', () => {
  const validate = bodyValidator(Type.Object({ sku_id: SkuId, from: Day }))
  expect(validate({ sku_id: 'nope', from: '2026-13-01' })).toEqual([
    expect.objectContaining({
      code: 'invalid',
      content: 'sku_id is not valid: `<namespace>:<vendor_sku>`, compared as an exact string',
      path: '$.sku_id',
    }),
    expect.objectContaining({
      content: 'from is not valid: A day in the time zone of the machine, such as 2026-09-10',
    }),
  ])
})
