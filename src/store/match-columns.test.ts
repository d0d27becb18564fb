import { type ExpressionBuilder, expressionBuilder } from 'kysely'
import { expect, test } from 'vitest'
import type { Database } from './schema.ts'
import { matchColumns } from './match-columns.ts'

test('a condition without a value throws instead of matching more rows', () => {
  const eb: ExpressionBuilder<Database, 'slot_book'> = expressionBuilder()
  expect(() => matchColumns(eb, { location: undefined as unknown as string, vendor_sku: 'A1' })).toThrow('location')
})
