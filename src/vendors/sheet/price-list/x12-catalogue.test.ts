import { describe, expect, test } from 'vitest'
import { interchange } from '../documents/replies.test-support.ts'
import { proposeList } from './propose-list.ts'
import { readX12Catalogue } from './x12-catalogue.ts'

const SETTINGS = { currency: 'USD', digits: 2, today: '2026-11-17' }
const HEAD = ['832', 'BCT*PC*CATALOG-1', 'CUR*SE*USD']
const item = (...segments: readonly string[]) => ['LIN*1*VN*A-1*UP*012345678905', 'PID*F****Green tea', ...segments]
const bytes = (...segments: readonly string[]) => Buffer.from(interchange([...HEAD, ...segments]))
const read = (...segments: readonly string[]) => readX12Catalogue(bytes(...segments), SETTINGS)

describe('X12 catalogues', () => {
  test.each<[string, readonly string[], object]>([
    ['a case of 12 items', ['PO4*12**EA', 'CTP**CON*14.80*1*CA'], { units: 'pack', packSize: 12, packPriceFen: 1480 }],
    [
      'a case of inner packs',
      ['PO4*4*1*EA***********6', 'CTP**CON*14.80*1*CS'],
      { units: 'pack', packSize: 24, packPriceFen: 1480 },
    ],
    ['one item', ['CTP**WHL*1.25*1*EA'], { units: 'each', eachPriceFen: 125 }],
    [
      'both, where they agree',
      ['PO4*12', 'CTP**CON*12.00*1*CA', 'CTP**CON*1.00*1*EA'],
      { units: 'both', packSize: 12, packPriceFen: 1200, eachPriceFen: 100 },
    ],
    [
      'the price that a buyer pays, not that of others',
      ['PO4*12', 'CTP**MSR*30.00*1*CA', 'CTP**LPR*15.00*1*CA', 'CTP**CON*14.00*1*CA', 'CTP**CON*13.00*10*CA'],
      { packPriceFen: 1400 },
    ],
    ['one that is no longer sold', ['CTP**CON*1.00*1*EA', 'DTM*036*20261116'], { isForSale: false }],
  ])('%s', (_, segments, expected) => {
    expect(read(...item(...segments))).toMatchObject({
      ok: true,
      products: [{ vendorSku: 'A-1', title: 'Green tea', barcode: '012345678905', isForSale: true, ...expected }],
    })
  })

  test.each<[string, readonly string[], string]>([
    ['a pack of one', item('PO4*1', 'CTP**CON*14.80*1*CA'), 'unknown_pack'],
    ['a pack without a number', item('CTP**CON*14.80*1*CA'), 'unknown_pack'],
    [
      'prices of pack and item that disagree',
      item('PO4*12', 'CTP**CON*12.00*1*CA', 'CTP**CON*2.00*1*EA'),
      'prices_disagree',
    ],
    ['a price by weight', item('CTP**CON*14.80*1*LB'), 'unknown_unit'],
    ['a price without a unit', item('CTP**CON*14.80'), 'unknown_unit'],
    ['a price for resale only', item('CTP**RES*14.80*1*EA'), 'no_price'],
    ['a price that cannot be read', item('CTP**CON*14,80*1*EA'), 'unreadable_price'],
    ['one that is withdrawn', item('G53*002', 'CTP**CON*1.00*1*EA'), 'withdrawn'],
    ['no number of the supplier', ['LIN*1*BP*OURS', 'PID*F****Tea', 'CTP**CON*1.00*1*EA'], 'no_sku'],
    ['no title', ['LIN*1*VN*A-1', 'CTP**CON*1.00*1*EA'], 'no_title'],
  ])('%s is not offered', (_, segments, reason) => {
    const good = ['LIN*2*VN*B-1', 'PID*F****Water', 'CTP**CON*1.00*1*EA']
    const filler = Array.from({ length: 6 }, (__, i) => good.map((segment) => segment.replace('B-1', `B-${i}`))).flat()
    const list = read(...segments, ...filler)
    expect(list).toMatchObject({ ok: true, leftOut: [{ reason, count: 1, rows: [1] }] })
    expect(list.ok && list.products.map(({ vendorSku }) => vendorSku)).not.toContain('A-1')
  })

  test('a size that somebody said counts', () => {
    const list = readX12Catalogue(bytes(...item('CTP**CON*14.80*1*CA')), {
      ...SETTINGS,
      wordFor: () => ({ contains: 24, isOfArticle: true }) as never,
    })
    expect(list).toMatchObject({ ok: true, products: [{ units: 'pack', packSize: 24 }] })
  })

  test.each<[string, Buffer, RegExp]>([
    ['in another currency', Buffer.from(interchange(['832', 'BCT*PC*1', 'CUR*SE*CAD', ...item()])), /currency/],
    ['that changes another one', Buffer.from(interchange(['832', 'BCT*PC*1********02', ...item()])), /changes a part/],
    ['that is an order', Buffer.from(interchange(['850', 'BEG*00*SA*1'])), /no catalogue/],
    ['that is cut', bytes(...item()).subarray(0, 250), /IEA|end/],
  ])('a document %s is refused whole', (_, document, expected) => {
    const list = readX12Catalogue(document, SETTINGS)
    expect(list.ok ? '' : list.problem).toMatch(expected)
  })

  test('it is recognized by its first bytes', () => {
    const proposal = proposeList({
      bytes: bytes(...item('PO4*12', 'CTP**CON*14.80*1*CA')),
      currency: 'USD',
      today: '2026-11-17',
    })
    expect(proposal).toMatchObject({ kind: 'x12-catalogue', settings: { format: 'x12-catalogue' } })
    expect(JSON.stringify(proposal)).toContain('Green tea')
  })
})
