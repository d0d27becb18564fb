import { describe, expect, test } from 'vitest'
import { USD, REF, replies, problem, interchange, x12, ACKNOWLEDGEMENT, SHIP_NOTICE } from '../replies.test-support.ts'
import { readX12Replies } from './reply-x12.ts'
import { findSamples } from '../../price-list/samples.test-support.ts'

describe('X12 replies', () => {
  test('855 confirms or changes each line', () => {
    expect(replies(x12(interchange(ACKNOWLEDGEMENT)))).toEqual([
      {
        ref: REF,
        refKind: 'order_number',
        kind: 'changed',
        theirNumber: 'S-9',
        lines: [
          { kind: 'accepted', lineNumber: 1, vendorSku: 'TEA-24', quantity: 10, unit: 'pack', unitPrice: 1250 },
          { kind: 'changed', lineNumber: 2, vendorSku: 'BAR', quantity: 12, unit: 'each', unitPrice: 95 },
          { kind: 'rejected', lineNumber: 3, vendorSku: 'GUM/7', quantity: 0, unit: 'pack' },
        ],
      },
    ])
  })

  test.each([
    ['AD', 'accepted'],
    ['AK', 'accepted'],
    ['AC', 'changed'],
    ['AH', 'received'],
    ['RD', 'rejected'],
    ['RJ', 'rejected'],
  ])('BAK02 %s means %s', (code, kind) => {
    expect(replies(x12(interchange(['855', `BAK*00*${code}*${REF}`])))).toMatchObject([{ kind, lines: [] }])
  })

  test('a line may be split: some now, some later, some never', () => {
    const read = x12(
      interchange(['855', `BAK*00*AD*${REF}`, 'PO1*1*10*EA*1**VN*A', 'ACK*IA*5*EA', 'ACK*IB*3*EA', 'ACK*IR*2*EA']),
    )
    expect(replies(read)).toMatchObject([
      { kind: 'changed', lines: [{ kind: 'changed', quantity: 8, backordered: 3 }] },
    ])
  })

  test('another item may come instead', () => {
    const read = x12(interchange(['855', `BAK*00*AD*${REF}`, 'PO1*1*10*EA*1**VN*A', 'ACK*IS*10*EA****VN*B']))
    expect(replies(read)).toMatchObject([{ kind: 'changed', lines: [{ kind: 'changed', substitute: 'B' }] }])
  })

  test('856 adds up the packs of a shipment', () => {
    expect(replies(x12(interchange(SHIP_NOTICE)))).toEqual([
      {
        ref: REF,
        refKind: 'order_number',
        kind: 'shipped',
        lines: [
          { kind: 'shipped', lineNumber: 1, vendorSku: 'TEA-24', quantity: 10, unit: 'pack' },
          { kind: 'shipped', lineNumber: 2, quantity: 12, unit: 'each' },
        ],
        shipment: { id: 'SHIP77', carrier: 'Federal Express', trackingNumber: '8202' },
      },
    ])
  })

  test.each([
    ['A', 'received'],
    ['E', 'received'],
    ['R', 'rejected'],
  ])('997 with %s says only that our group was %s', (code, kind) => {
    const read = x12(interchange(['997', 'AK1*PO*42', 'AK2*850*0001', `AK5*${code}`, `AK9*${code}*1*1*1`]))
    expect(replies(read)).toEqual([
      { ref: '42', refKind: 'control_number', kind, lines: [], parties: expect.anything() },
    ])
  })

  test.each([
    ['AK5*R', 'AK9*A*1*1*1'],
    ['AK5*A', 'AK9*R*1*1*0'],
    ['AK5*Z', 'AK9*Z*1*1*1'],
    ['AK3*PO1*5', 'AK9*P*1*1*0'],
  ])('997 with %s and %s is refused', (ak5, ak9) => {
    expect(problem(x12(interchange(['997', 'AK1*PO*42', 'AK2*850*0001', ak5, ak9])))).toMatch(/acknowledgement/)
  })

  test('997 about other documents says nothing about orders', () => {
    expect(problem(x12(interchange(['997', 'AK1*IN*42', 'AK9*A*1*1*1'])))).toMatch(/no 855/)
  })

  test('other transaction sets beside it are passed over', () => {
    expect(replies(x12(interchange(['810', 'BIG*20260825*1'], ACKNOWLEDGEMENT)))).toHaveLength(1)
    expect(problem(x12(interchange(['810', 'BIG*20260825*1'])))).toMatch(/no 855/)
  })

  const changed = (from: string, to: string, set = ACKNOWLEDGEMENT) =>
    interchange(set.map((segment) => segment.replace(from, to)))
  test.each([
    ['an unknown status', changed('ACK*IQ', 'ACK*ZZ'), /ACK01 ZZ/],
    ['an unknown answer', changed('*AC*', '*ZZ*'), /BAK02 ZZ/],
    ['another currency', changed('USD', 'EUR'), /another currency/],
    ['more than ordered', changed('IQ*12', 'IQ*31'), /more is acknowledged/],
    ['a part of an item', changed('IQ*12', 'IQ*1.5'), /whole quantity/],
    ['another unit', changed('12*EA', '12*CA'), /different units/],
    ['a weight', changed('3*CA', '3*LB'), /unit LB/],
    ['a wrong sum', changed('CTT*3*22', 'CTT*3*23'), /CTT/],
    ['a wrong count', changed('CTT*3*22', 'CTT*4*22'), /CTT/],
    ['no reference', changed(REF, ''), /BAK03 is missing/],
    ['a line without number and SKU', changed('PO1*2*30*EA*.95**VN*BAR', 'PO1**30*EA*.95**UP*1'), /no line of ours/],
    ['a cancelled notice', changed('BSN*00', 'BSN*01', SHIP_NOTICE), /changes or cancels/],
    ['an item without an order', changed('HL*3*2*P', 'HL*3*1*P', SHIP_NOTICE), /belongs to no order/],
    ['a missing segment', interchange(ACKNOWLEDGEMENT).replace('ACK*IR*0*CA~\n', ''), /number of segments/],
    ['another control number', interchange(ACKNOWLEDGEMENT).replace('GE*1*7', 'GE*1*8'), /GS and GE/],
    ['no end', interchange(ACKNOWLEDGEMENT).replace('IEA*1*000000007~\n', ''), /IEA/],
    ['no interchange', 'hello', /not an X12 interchange/],
  ])('%s is refused', (_, text, expected) => {
    expect(problem(x12(text))).toMatch(expected)
  })

  test('separators are those of its header', () => {
    const other = interchange(ACKNOWLEDGEMENT).replaceAll('*', '|').replaceAll('~\n', '\n')
    expect(x12(other)).toEqual(x12(interchange(ACKNOWLEDGEMENT)))
    expect(x12(interchange(ACKNOWLEDGEMENT).replaceAll('~\n', '~\r\n'))).toEqual(x12(interchange(ACKNOWLEDGEMENT)))
  })

  test('one wrong digit in a shipped quantity never adds up', () => {
    const text = interchange(SHIP_NOTICE)
    const places = [...text.matchAll(/SN1\*\d\*(\d+)/g)].flatMap(({ index, 0: all, 1: digits = '' }) =>
      Array.from(digits, (_, i) => index + all.length - digits.length + i),
    )
    const damaged = places.flatMap((place) =>
      Array.from('0123456789')
        .filter((digit) => digit !== text[place])
        .map((digit) => x12(text.slice(0, place) + digit + text.slice(place + 1))),
    )
    expect(damaged).toHaveLength(36)
    for (const read of damaged) expect(read.ok).toBe(false)
  })
})

const x12Samples = findSamples('x12')

describe.runIf(x12Samples)('X12 examples', () => {
  const sample = (name: string) => readX12Replies(x12Samples?.read(name) ?? Buffer.of(), USD)

  test('855: two lines accepted, two rejected, under a code that says no change', () => {
    const [reply] = replies(sample('855.edi'))
    expect(reply).toMatchObject({ ref: 'POTEST1112', kind: 'changed', theirNumber: '60169126' })
    expect(reply?.lines.map(({ kind, lineNumber, quantity }) => [kind, lineNumber, quantity])).toEqual([
      ['accepted', 1, 3],
      ['rejected', 2, 0],
      ['rejected', 3, 0],
      ['accepted', 4, 2],
    ])
  })

  test('856: what was shipped of one order', () => {
    expect(replies(sample('856.edi'))).toMatchObject([
      {
        ref: '99999817',
        kind: 'shipped',
        shipment: { id: '829716', carrier: 'XXXX', trackingNumber: '5787970539' },
        lines: [
          { lineNumber: 1, vendorSku: '87787D', quantity: 24, unit: 'each' },
          { lineNumber: 2, vendorSku: '99887D', quantity: 6, unit: 'each' },
        ],
      },
    ])
  })

  test('an order is not a reply', () => {
    expect(problem(sample('850.edi'))).toMatch(/no 855, 856 or 997/)
  })
})
