import { describe, expect, test } from 'vitest'
import { REF, replies, problem, csv, CSV_REPLY } from '../replies.test-support.ts'

describe('CSV replies', () => {
  test('a row per line, what stands', () => {
    expect(csv(CSV_REPLY)).toEqual({
      ok: true,
      foreign: [],
      replies: [
        {
          ref: REF,
          refKind: 'order_number',
          kind: 'changed',
          lines: [
            { kind: 'changed', vendorSku: 'TEA-24', quantity: 10 },
            { kind: 'changed', vendorSku: 'BAR', quantity: 12 },
            { kind: 'rejected', vendorSku: 'GUM/7', quantity: 0 },
          ],
        },
      ],
    })
  })

  test('a row without sku is about the whole order; one file may be about several', () => {
    const read = replies(
      csv(
        'PO , Status,SKU,Qty,note\nA,accepted\nB,Rejected,,,sold out\nC,shipped,X,3,\nD,accepted,X,,\nD,accepted,Y,2.0,\n',
      ),
    )
    expect(read.map(({ ref, kind }) => [ref, kind])).toEqual([
      ['A', 'accepted'],
      ['B', 'rejected'],
      ['C', 'shipped'],
      ['D', 'accepted'],
    ])
    expect(read[3]?.lines).toEqual([
      { kind: 'accepted', vendorSku: 'X' },
      { kind: 'accepted', vendorSku: 'Y', quantity: 2 },
    ])
  })

  test('"accepted" over a line that is not means changed', () => {
    expect(replies(csv('po,status,sku,qty\nA,accepted,,\nA,rejected,X,\n'))).toMatchObject([{ kind: 'changed' }])
  })

  test.each([
    ['', /header/],
    ['po,status,sku,qty\n', /no rows/],
    ['po,status,sku\nA,accepted,\n', /header/],
    ['po,status,sku,qty,qty\nA,accepted,,,\n', /each once/],
    ['po,status,sku,qty\nA,accepted,,', /may be incomplete/],
    ['po,status,sku,qty\nA,perhaps,,\n', /row 2 has no status/],
    ['po,status,sku,qty\n,accepted,,\n', /row 2 has no order number/],
    ['po,status,sku,qty\nA,changed,X,\n', /row 2 needs a quantity/],
    ['po,status,sku,qty\nA,shipped,X,1.5\n', /no whole quantity/],
    ['po,status,sku,qty\nA,shipped,X,-1\n', /no whole quantity/],
    ['po,status,sku,qty\nA,shipped,X,1 \n', /no whole quantity/],
    ['po,status,sku,qty\nA,rejected,X,4\n', /rejected with a quantity/],
    ['po,status,sku,qty\nA,accepted,,4\n', /no sku/],
    ['po,status,sku,qty\nA,accepted,,\nA,rejected,,\n', /two different statuses/],
    ['po,status,sku,qty\nA,changed,X,1\nA,changed,X,2\n', /two rows for one sku/],
    ['po,status,sku,qty\nA,rejected,,\nA,accepted,X,1\n', /but not its lines/],
    ['po,status,sku,qty\nA,accepted,,\nA,accepted,X1\n', /row 3 has fewer cells than the header/],
    ['po,status,sku,qty\nA,accepted,X,1,2\n', /more cells/],
    ['po,status,sku,qty\r\nA,accepted,X,1\nB,accepted,,\r\n', /different ways/],
    ['po,status,sku,qty\nPO 7,accepted,,\n', /not ours/],
  ])('%j is refused', (text, expected) => {
    expect(problem(csv(text))).toMatch(expected)
  })

  test('an order number of somebody else is passed over, and the others are read', () => {
    const read = csv('po,status,sku,qty\nPO 7,accepted,,\nA,rejected,,\n')
    expect(read).toMatchObject({ ok: true, replies: [{ ref: 'A', kind: 'rejected' }], foreign: ['PO 7'] })
  })

  test('more cells than any list has are refused before they are split', () => {
    expect(problem(csv(`po,status,sku,qty\n${','.repeat(2_000_000)}\n`))).toMatch(/cells/)
  })
})
