import { expect, test } from 'vitest'
import type { StoreroomProduct } from '../../../contract/shapes/storeroom.ts'
import { confirmedProducts, liveSuppliers, storeroomRows, typedCountOf, unitsTyped } from './storeroom.ts'

const product = (id: string, ...dates: (string | null)[]): StoreroomProduct => ({
  item: { id, title: `Product ${id}` },
  units: dates.length,
  reserved: 0,
  free: dates.length,
  lots: dates.map((best_before) => ({ units: 1, best_before })),
  counted_at: null,
})

test('what will not be sold comes first, then what expires first, then by title', () => {
  const rows = storeroomRows(
    [product('b', null), product('a', null), product('late', '2026-12-01'), product('soon', '2026-10-01', null)],
    [
      {
        type: 'warning',
        code: 'expires_soon',
        content: '',
        params: { sku_id: 'late', product: 'Product late', units: 1, date: '2026-12-01' },
      },
      { type: 'info', code: 'other', content: '', params: { sku_id: 'a', units: 3, date: '2026-01-01' } },
    ],
  )
  expect(rows.map(({ item }) => item.id)).toEqual(['late', 'soon', 'a', 'b'])
  expect(rows.map(({ unsold }) => unsold.length)).toEqual([1, 0, 0, 0])
  expect(rows[0]).toMatchObject({ bestBefore: '2026-12-01', unsold: [{ units: 1, date: '2026-12-01' }] })
  expect(rows[2]?.bestBefore).toBeUndefined()
})

test('a purchase in boxes and singles is confirmed in single units, one line each product', () => {
  const line = (id: string, total: number, contains?: number) => ({
    id: `${id} ${total}`,
    item: {
      id,
      title: id,
      price: 1,
      ...(contains ? { quantity_unit: { unit: 'BX' as const, display_text: 'box', contains } } : {}),
    },
    quantity: { original: total + 1, total, fulfilled: 0 },
    totals: [],
    status: 'processing' as const,
  })
  expect(confirmedProducts({ line_items: [line('a', 2, 24), line('b', 3), line('a', 5)] })).toEqual([
    { id: 'a', title: 'a', units: 53, contains: 1 },
    { id: 'b', title: 'b', units: 3, contains: 1 },
  ])
  expect(confirmedProducts({ line_items: [line('a', 2, 24), line('a', 1, 24)] })).toMatchObject([
    { units: 72, contains: 24 },
  ])
})

test.each([
  [50, 24, { cases: '2', singles: '2' }],
  [48, 24, { cases: '2', singles: '0' }],
  [7, 1, { cases: '', singles: '7' }],
  [0, 1, { cases: '', singles: '0' }],
])('%i units in cases of %i are filled in as %j', (units, contains, typed) => {
  expect(typedCountOf({ units, contains })).toEqual(typed)
  expect(unitsTyped(typed, contains)).toBe(units)
})

test.each([
  ['1', '', 24],
  ['', '5', 5],
  [' 2 ', '30', 78],
  ['', '', undefined],
  ['1.5', '0', undefined],
  ['-1', '0', undefined],
  ['one', '0', undefined],
])('%j cases of 24 and %j units typed: %j', (cases, singles, units) => {
  expect(unitsTyped({ cases, singles }, 24)).toBe(units)
})

test('only suppliers that are connected are asked for their products', () => {
  const entry = { vendor: '', capabilities: [], role: 'supply', status: 'live' } as const
  expect(
    liveSuppliers([
      { ...entry, namespace: 'acme-supply', status: 'planned' },
      { ...entry, namespace: 'lakes-supply' },
      { ...entry, namespace: 'dex-machine', role: 'machine' },
    ]),
  ).toEqual(['lakes-supply'])
})
