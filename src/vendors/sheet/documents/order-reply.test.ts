import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchReply } from '../inbox/match-reply.ts'
import type { OrderReply, ReadReplies } from './order-reply.ts'
import { ORDER } from './order.test-support.ts'
import {
  USD,
  REF,
  replies,
  csv,
  CSV_REPLY,
  ublLine,
  ublReply,
  ubl,
  UBL_REPLY,
  interchange,
  x12,
  ACKNOWLEDGEMENT,
  SHIP_NOTICE,
  cxmlRequest,
  cxml,
  confirmation,
  part,
  item,
  CONFIRMATION,
  shipped,
  SHIPPED_ITEM,
} from './replies.test-support.ts'
import { readTableReplies } from './csv/reply-table.ts'
import { readCxmlReplies } from './cxml/reply-cxml.ts'
import { readUblReplies } from './ubl/reply-ubl.ts'
import { readX12Replies } from './x12/reply-x12.ts'
import { propertyRuns } from '../../../../test/support/property-runs.ts'

describe('a reply is held against its order', () => {
  const [, bar] = ORDER.lines
  const match = (read: ReadReplies) => replies(read).map((reply) => matchReply(ORDER.lines, reply))
  const quantities = (read: ReadReplies) =>
    match(read).map((matched) => (matched.ok ? matched.lines.map(({ quantity }) => quantity) : matched.problem))

  test('all formats say the same', () => {
    for (const read of [csv(CSV_REPLY), ubl(UBL_REPLY), x12(interchange(ACKNOWLEDGEMENT)), cxml(CONFIRMATION)])
      expect(quantities(read)).toEqual([[10, 12, 0]])
  })

  test('what is not named stands, or was not shipped yet', () => {
    expect(quantities(cxml(confirmation('accept')))).toEqual([[10, 30, 3]])
    expect(quantities(cxml(confirmation('reject')))).toEqual([[0, 0, 0]])
    expect(quantities(cxml(shipped('', '')))).toEqual([[10, 30, 3]])
    expect(quantities(cxml(shipped('', SHIPPED_ITEM)))).toEqual([[0, 12, 0]])
  })

  test('something else instead is none of what was ordered', () => {
    const substitute =
      '<cac:SellerSubstitutedLineItem><cac:Item><cac:SellersItemIdentification><cbc:ID>BAR-2</cbc:ID></cac:SellersItemIdentification></cac:Item></cac:SellerSubstitutedLineItem>'
    const [matched] = match(ubl(ublReply('CA', ublLine('2', '3', 'BAR', '', substitute))))
    expect(matched).toMatchObject({ lines: [{}, { quantity: 0, substitute: 'BAR-2' }, {}] })
  })

  test('the ordered item stated in full (allDetail) stands, with its price', () => {
    const detail = (sku: string, unit = 'EA') =>
      `<ItemIn quantity="30"><ItemID><SupplierPartID>${sku}</SupplierPartID></ItemID><ItemDetail><UnitPrice><Money currency="USD">1.10</Money></UnitPrice><UnitOfMeasure>${unit}</UnitOfMeasure></ItemDetail></ItemIn>`
    const line = (type: string, content: string) =>
      cxml(confirmation(type, item(2, 30, 'EA', part(type, 30, 'EA', content))))
    for (const type of ['allDetail', 'detail'])
      expect(match(line(type, detail('BAR')))).toMatchObject([{ lines: [{}, { quantity: 30, unitPrice: 110 }, {}] }])
    expect(replies(line('allDetail', detail('BAR')))).toMatchObject([{ kind: 'accepted' }])
    expect(match(line('allDetail', detail('BAR-2')))).toMatchObject([{ lines: [{}, { quantity: 0 }, {}] }])
    // The price of a case is not that of an item.
    expect(replies(line('allDetail', detail('BAR', 'CS')))[0]?.lines[0]).not.toHaveProperty('unitPrice')
    const both = part('allDetail', 20, 'EA', detail('BAR')) + part('allDetail', 10, 'EA', detail('BAR-2'))
    expect(match(cxml(confirmation('allDetail', item(2, 30, 'EA', both))))).toMatchObject([
      { lines: [{}, { quantity: 0, substitute: 'BAR, BAR-2' }, {}] },
    ])
  })

  const row = (line: string) => csv(`po,status,sku,qty\n${REF},${line}\n`)
  test.each([
    ['a SKU that was not ordered', row('changed,TEA-25,1'), /not ordered/],
    ['more than was ordered', row('changed,BAR,31'), /more than was ordered/],
    ['the number of another line', ubl(ublReply('CA', ublLine('1', '5', 'BAR'))), /not ordered/],
    [
      'another unit',
      ubl(ublReply('CA', ublLine('2', '3', 'BAR', '<cbc:Quantity unitCode="XBX">1</cbc:Quantity>'))),
      /another unit/,
    ],
    ['one line twice', ubl(ublReply('CA', ublLine('2', '5', 'BAR') + ublLine('2', '5', 'BAR'))), /twice/],
  ])('%s is refused', (_, read, expected) => {
    expect(quantities(read)[0]).toMatch(expected)
  })

  test('packs that are confirmed in single items are counted in packs, and only in whole ones', () => {
    const lines = bar ? [{ ...bar, unit: 'pack' as const, contains: 12, quantity: 3 }] : []
    const confirmed = (quantity: number) =>
      matchReply(lines, {
        ref: REF,
        refKind: 'order_number',
        kind: 'changed',
        lines: [{ kind: 'changed', vendorSku: 'BAR', quantity, unit: 'each', unitPrice: 10 }],
      })
    expect(confirmed(24)).toMatchObject({ ok: true, lines: [{ ordered: 3, quantity: 2, unitPrice: 120 }] })
    expect(confirmed(30)).toMatchObject({ ok: false, problem: 'line 2 is in another unit' })
    expect(confirmed(48)).toMatchObject({ ok: false, problem: 'line 2 is more than was ordered' })
  })

  test('the same SKU singly and in packs is distinguished by unit or number', () => {
    const lines = bar ? [bar, { ...bar, lineNumber: 3, unit: 'pack' as const, contains: 12, quantity: 2 }] : []
    const base: OrderReply = { ref: REF, refKind: 'order_number', kind: 'changed', lines: [] }
    const named = (line: OrderReply['lines'][number]) => matchReply(lines, { ...base, lines: [line] })
    expect(named({ kind: 'changed', vendorSku: 'BAR', quantity: 1 }).ok).toBe(false)
    expect(named({ kind: 'changed', vendorSku: 'BAR', unit: 'pack', quantity: 1 })).toMatchObject({
      lines: [{ quantity: 30 }, { quantity: 1 }],
    })
    expect(named({ kind: 'changed', lineNumber: 3, quantity: 1 })).toMatchObject({ lines: [{}, { quantity: 1 }] })
  })
})

describe('damaged replies', () => {
  /** What would be acted on: nothing where the reply is refused, is about another order or does not fit the order. */
  const effect = (read: ReadReplies): string => {
    if (!read.ok) return 'refused'
    const ours = read.replies.filter(({ ref }) => ref === REF)
    const matched = ours.map((reply) => ({ kind: reply.kind, ...matchReply(ORDER.lines, reply) }))
    if (matched.length === 0 || matched.some(({ ok }) => !ok)) return 'refused'
    return JSON.stringify(matched)
  }
  /** A price that cannot be read is none: it changes no sum. */
  const PRICE = /,"unitPrice":(?:\d+|null)/g
  const meansSame = (now: string, whole: string) =>
    now.replaceAll(PRICE, '') === whole.replaceAll(PRICE, '') &&
    (now.match(PRICE) ?? []).every((price) => price.endsWith('null') || whole.includes(price))
  const formats: readonly [string, string, (bytes: Uint8Array) => ReadReplies][] = [
    ['CSV', CSV_REPLY, (bytes) => readTableReplies(bytes, { encoding: 'utf-8' })],
    ['UBL', UBL_REPLY, (bytes) => readUblReplies(bytes, USD)],
    ['X12 855', interchange(ACKNOWLEDGEMENT), (bytes) => readX12Replies(bytes, USD)],
    ['X12 856', interchange(SHIP_NOTICE), (bytes) => readX12Replies(bytes, USD)],
    ['cXML confirmation', cxmlRequest(CONFIRMATION), (bytes) => readCxmlReplies(bytes, USD)],
    ['cXML ship notice', cxmlRequest(shipped('', SHIPPED_ITEM)), (bytes) => readCxmlReplies(bytes, USD)],
  ]

  test.each(formats)('%s cut anywhere is refused, or says the same', (name, text, read) => {
    const bytes = Buffer.from(text)
    const whole = replies(read(bytes))
    expect(effect(read(bytes))).not.toBe('refused')
    const cuts = Array.from(bytes, (_, end) => read(bytes.subarray(0, end))).filter(({ ok }) => ok)
    if (name === 'CSV') {
      // A file that ends after a row is a file. What it says is what the whole says about these lines.
      expect(cuts.map((cut) => replies(cut)[0]?.lines)).toEqual([1, 2].map((n) => whole[0]?.lines.slice(0, n)))
    } else {
      for (const cut of cuts) expect(replies(cut)).toEqual(whole)
    }
  })

  /** One valid sign of a number or a code for another cannot be noticed without a check sum. */
  const isValue = (byte: number | undefined) => /[\w.-]/.test(String.fromCharCode(byte ?? 0))

  test.each(formats)('%s with any bit flipped is refused, or means the same', (_, text, read) => {
    const bytes = Buffer.from(text)
    const whole = effect(read(bytes))
    const wrong: string[] = []
    for (let place = 0; place < bytes.length; place++) {
      for (let bit = 0; bit < 8; bit++) {
        const damaged = Buffer.from(bytes)
        damaged[place] = (bytes[place] ?? 0) ^ (1 << bit)
        if (isValue(bytes[place]) && isValue(damaged[place])) continue
        const now = effect(read(damaged))
        if (now !== 'refused' && !meansSame(now, whole))
          wrong.push(`${damaged.subarray(Math.max(0, place - 20), place + 10).toString('latin1')}: ${now}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test.each(formats)('%s: no bytes make the reader throw', (_, text, read) => {
    const bytes = Buffer.from(text)
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 8 }), fc.nat(bytes.length), (noise, place) => {
        const damaged = Buffer.concat([bytes.subarray(0, place), noise, bytes.subarray(place + noise.length)])
        expect(typeof read(damaged).ok).toBe('boolean')
        expect(typeof read(noise).ok).toBe('boolean')
      }),
      { numRuns: propertyRuns(300) },
    )
  })
})
