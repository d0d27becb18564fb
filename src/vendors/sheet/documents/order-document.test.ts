import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { X12Parser } from 'node-x12'
import { describe, expect, test } from 'vitest'
import { decimalOf, minorOf } from '../../../kernel/minor-units.ts'
import { parseRows } from './csv/csv-text.ts'
import { payloadIdOf, writeCxmlOrder } from './cxml/order-cxml.ts'
import { writeCsvOrder } from './csv/order-csv.ts'
import { type Order, type WrittenOrder, findProblem, totalsOf } from './order-document.ts'
import { type UblSettings, writeUblOrder } from './ubl/order-ubl.ts'
import { type X12Settings, writeX12Order } from './x12/order-x12.ts'
import { ORDER, anyOrder, withLines } from './order.test-support.ts'
import { findSamples } from '../price-list/samples.test-support.ts'
import { unitOf } from './units.ts'
import { readInterchange } from './x12/x12-text.ts'
import { type XmlNode, childOf, childrenOf, readXml, requiredText } from './xml.ts'

const UBL: UblSettings = {
  seller: { name: 'Wholesale Ltd', endpoint: { id: '7300010000001', scheme: '0088' } },
  profile: 'ordering',
}
const X12: X12Settings = {
  sender: { qualifier: 'ZZ', id: 'ROUTEONE' },
  receiver: { qualifier: '01', id: '123456789' },
  controlNumber: 42,
}
const CXML = {
  from: { domain: 'NetworkId', identity: 'AN01' },
  to: { domain: 'DUNS', identity: '123456789' },
  sharedSecret: 'a<b',
  host: 'vendops.example',
}

function written(result: WrittenOrder): string {
  if (!result.ok) throw new Error(result.problem)
  return result.document
}
const tree = (document: string) => readXml(Buffer.from(document))

/** What has to survive the way out and back, whatever the format. */
interface ReadBack {
  readonly ref: string
  readonly lines: readonly (readonly [
    number: number,
    sku: string,
    quantity: number,
    unit: string | undefined,
    price: number | undefined,
  ])[]
  readonly total: number | undefined
}
const expected = ({ ref, lines, totals }: Order, total: 'total' | 'net' = 'total'): ReadBack => ({
  ref,
  lines: lines.map(({ lineNumber, vendorSku, quantity, unit, unitPrice }) => [
    lineNumber,
    vendorSku,
    quantity,
    unit,
    unitPrice,
  ]),
  total: totals[total],
})

describe('an order is checked before it is written', () => {
  const [line] = ORDER.lines
  const others = (change: Partial<NonNullable<typeof line>>) => withLines(ORDER, [{ ...ORDER.lines[0]!, ...change }])
  test.each<[string, Order]>([
    ['cannot be an order number', { ...ORDER, ref: 'PO 1' }],
    ['no lines', withLines(ORDER, [])],
    ['the same number', withLines(ORDER, [ORDER.lines[0]!, ORDER.lines[0]!])],
    ['unusable SKU', others({ vendorSku: 'A B' })],
    ['unusable SKU', others({ vendorSku: 'A\u200BB' })],
    ['usable quantity', others({ quantity: 0 })],
    ['usable quantity', others({ quantity: 1.5 })],
    ['usable price', others({ unitPrice: -1 })],
    ['usable price', others({ unitPrice: 12.5 })],
    ['usable pack size', others({ contains: 0 })],
    ['totals are not those', { ...ORDER, totals: { ...ORDER.totals, total: ORDER.totals.total + 1 } }],
    ['totals are not those', { ...ORDER, totals: { net: 1, tax: 0, total: 1 } }],
    ['ISO 4217', { ...ORDER, currency: '$' }],
    ['no name', { ...ORDER, buyer: { ...ORDER.buyer, name: ' ' } }],
  ])('%s', (problem, order) => {
    expect(findProblem(order)).toContain(problem)
    for (const result of [
      writeCsvOrder(order),
      writeUblOrder(order, UBL),
      writeX12Order(order, X12),
      writeCxmlOrder(order, CXML),
    ])
      expect(result).toMatchObject({ ok: false })
  })

  test('nothing is wrong with a right one', () => {
    expect(findProblem(ORDER)).toBeUndefined()
    fc.assert(fc.property(anyOrder, (order) => findProblem(order) === undefined))
  })
})

describe('totals', () => {
  const [tea] = ORDER.lines
  const sum = (unitPrice: number, taxRate: number, prices: 'net' | 'gross' = 'net') =>
    totalsOf(tea ? [{ ...tea, quantity: 1, unitPrice }] : [], { prices, taxRate })

  test.each([
    [1000, 8.25, 83],
    [1000, 8.24, 82],
    [1000, 8.875, 89],
    [50, 19, 10],
    [50, 1, 1],
    [49, 1, 0],
    [100, 0, 0],
    [9_000_000_000_000, 7, 630_000_000_000],
  ])('%i at %d percent is taxed %i, rounded once', (net, rate, tax) => {
    expect(sum(net, rate)).toEqual({ net, tax, total: net + tax })
  })

  test('prices with tax in them add nothing; a rate that is none gives nothing', () => {
    expect(sum(1000, 19, 'gross')).toEqual({ net: 1000, tax: 0, total: 1000 })
    expect([sum(1000, -1), sum(1000, Number.NaN), sum(1000, 1 / 3)]).toEqual([undefined, undefined, undefined])
  })

  test('an order with these totals can be written', () => {
    fc.assert(
      fc.property(anyOrder, fc.integer({ min: 0, max: 300_000 }), (order, rate) => {
        const totals = totalsOf(order.lines, { prices: 'net', taxRate: rate / 10_000 })
        expect(totals && findProblem({ ...order, totals })).toBeUndefined()
        expect(totals).toBeDefined()
      }),
    )
  })
})

/** A cell that would start a formula is written with an apostrophe before it. */
const ESCAPED = /^'(?=[=+\-@\t\r\uFF0B\uFF0D\uFF1D\uFF20])/
const withoutEscape = (cell: string): string => cell.replace(ESCAPED, '')

describe('CSV', () => {
  test('one row per line, the total in the last', () => {
    expect(written(writeCsvOrder(ORDER)).split('\r\n')).toEqual([
      'po,sku,title,qty,unit,pack_or_each_price,case_size,price_of_one',
      'PO-2026-0815,TEA-24,"Iced tea ""Lemon"" & Mint <500 ml>",10,pack,12.50,24,0.5208',
      'PO-2026-0815,BAR,Müsli bar,30,each,0.95,,0.95',
      'PO-2026-0815,GUM/7,口香糖,3,pack,6.00,12,0.50',
      'PO-2026-0815,,"Buyer: Route One Vending & Co, customer number C-4711",,,,,',
      'PO-2026-0815,,"Deliver to: Ana Diaz, +1 512 555 0100, 77 River Street, Gate 4, Austin, TX, 78702, US",,,,,',
      'PO-2026-0815,,Tax,,USD,12.01,,',
      'PO-2026-0815,,Total,,USD,183.51,,',
      '',
    ])
    const [line] = ORDER.lines
    const packs = written(writeCsvOrder(withLines(ORDER, line ? [line] : [])))
    expect(packs).not.toContain('Tax')
    // Where all lines are packs, the header says whose price it is.
    expect(packs).toMatch(/^po,sku,title,qty,unit,pack_price,case_size,price_of_one\r\n/)
  })

  test.each(['=HYPERLINK("http://x")', '@SUM(1)', '+1', '-1'])('a title %s does not start a formula', (title) => {
    const [line] = ORDER.lines
    const document = written(writeCsvOrder(withLines(ORDER, line ? [{ ...line, title }] : [])))
    const parsed = parseRows(document, ',')
    expect(parsed.ok && parsed.rows[1]?.[2]).toBe(`'${title}`)
    expect(parsed.ok && parsed.rows.flat().filter((cell) => /^[=@+-]/.test(cell))).toEqual([])
  })

  test('reads back as it was ordered', () => {
    fc.assert(
      fc.property(anyOrder, (order) => {
        // A code that looks escaped by itself reads the same as one that was.
        fc.pre(!order.lines.some(({ vendorSku }) => ESCAPED.test(vendorSku)) && !ESCAPED.test(order.ref))
        const parsed = parseRows(written(writeCsvOrder(order)), ',')
        const rows = parsed.ok ? parsed.rows.slice(1) : []
        const read: ReadBack = {
          ref: withoutEscape(rows[0]?.[0] ?? ''),
          lines: rows
            .slice(0, order.lines.length)
            .map(([, sku = '', , quantity, unit, price = ''], i) => [
              i + 1,
              withoutEscape(sku),
              Number(quantity),
              unit,
              minorOf(price, order.digits, '.'),
            ]),
          total: minorOf(rows.at(-1)?.[5] ?? '', order.digits, '.'),
        }
        expect(read).toEqual(expected(order))
      }),
    )
  })
})

describe('UBL', () => {
  const read = (document: string, digits: number): ReadBack => {
    const root = tree(document)
    return {
      ref: requiredText(root, 'ID'),
      lines: childrenOf(root, 'OrderLine').map((line) => {
        const item = childOf(line, 'LineItem')
        return [
          Number(requiredText(item, 'ID')),
          requiredText(item, 'Item', 'SellersItemIdentification', 'ID'),
          Number(requiredText(item, 'Quantity')),
          unitOf(childOf(item, 'Quantity')?.attributes['unitCode']),
          minorOf(requiredText(item, 'Price', 'PriceAmount'), digits, '.'),
        ]
      }),
      total: minorOf(requiredText(root, 'AnticipatedMonetaryTotal', 'PayableAmount'), digits, '.'),
    }
  }

  test('states parties, places, times and sums', () => {
    const root = tree(written(writeUblOrder(ORDER, UBL)))
    const at = (...path: readonly string[]) => requiredText(root, ...path)
    expect(at('CustomizationID')).toBe('urn:fdc:peppol.eu:poacc:trns:order:3')
    expect(at('ProfileID')).toBe('urn:fdc:peppol.eu:poacc:bis:ordering:3')
    // Half past ten in the evening of the day before, where the buyer is.
    expect([at('IssueDate'), at('IssueTime')]).toEqual(['2026-08-24', '22:30:15'])
    expect(childOf(root, 'BuyerCustomerParty', 'Party', 'EndpointID')).toMatchObject({
      attributes: { schemeID: '0088' },
      text: '4012345000009',
    })
    expect(at('BuyerCustomerParty', 'Party', 'PartyIdentification', 'ID')).toBe('C-4711')
    expect(at('BuyerCustomerParty', 'Party', 'PartyTaxScheme', 'CompanyID')).toBe('DE123456789')
    expect(at('Delivery', 'DeliveryLocation', 'Address', 'PostalZone')).toBe('78702')
    expect(at('Delivery', 'DeliveryParty', 'Contact', 'Telephone')).toBe('+1 512 555 0100')
    expect(at('TaxTotal', 'TaxAmount')).toBe('12.01')
    expect(at('AnticipatedMonetaryTotal', 'LineExtensionAmount')).toBe('171.50')
    const [first] = childrenOf(root, 'OrderLine')
    expect(requiredText(first, 'LineItem', 'Item', 'Name')).toBe('Iced tea "Lemon" & Mint <500 ml>')
    expect(childOf(first, 'LineItem', 'Item', 'StandardItemIdentification', 'ID')).toMatchObject({
      attributes: { schemeID: '0160' },
      text: '04006381333931',
    })
  })

  test('amounts of three digits do not fit into a Peppol order', () => {
    expect(writeUblOrder({ ...ORDER, currency: 'KWD', digits: 3 }, UBL)).toMatchObject({ ok: false })
  })

  test('reads back as it was ordered, and has no empty element', () => {
    const hasEmpty = (node: XmlNode): boolean =>
      node.children.length === 0 ? node.text.trim() === '' : node.children.some(hasEmpty)
    fc.assert(
      fc.property(anyOrder, (order) => {
        const document = written(writeUblOrder(order, UBL))
        expect(read(document, order.digits)).toEqual(expected(order))
        expect(hasEmpty(tree(document))).toBe(false)
      }),
    )
  })

  const samples = findSamples('peppol')
  test.runIf(samples)(
    'uses no element that the Peppol example does not have, but names, tax, addresses and packs',
    () => {
      const paths = (node: XmlNode, above = ''): readonly string[] => [
        `${above}/${node.name}`,
        ...node.children.flatMap((child) => paths(child, `${above}/${node.name}`)),
      ]
      const known = new Set(paths(readXml(samples?.read('UC1_Order.xml') ?? Buffer.of())))
      const ours = new Set(paths(tree(written(writeUblOrder(ORDER, UBL)))))
      const more = [...ours].filter(
        (path) => !known.has(path) && !/PostalAddress|PartyTaxScheme|AdditionalItemProperty/.test(path),
      )
      // Both are in the rules of the BIS (PEPPOL-T01-R011, R016), and the region of an address.
      expect(more).toEqual([
        '/Order/Delivery/DeliveryLocation/Address/CountrySubentity',
        '/Order/AnticipatedMonetaryTotal/TaxExclusiveAmount',
        '/Order/AnticipatedMonetaryTotal/TaxInclusiveAmount',
      ])
    },
  )
})

describe('X12', () => {
  const read = (document: string, digits: number): ReadBack => {
    const [set] = readInterchange(Buffer.from(document))
    const found = (id: string) => set?.segments.filter((segment) => segment.id === id) ?? []
    return {
      ref: found('BEG')[0]?.elements[3] ?? '',
      lines: found('PO1').map(({ elements }) => [
        Number(elements[1]),
        elements[7] ?? '',
        Number(elements[2]),
        unitOf(elements[3]),
        minorOf(elements[4] ?? '', digits, '.'),
      ]),
      total: minorOf(found('AMT')[0]?.elements[2] ?? '', digits, '.'),
    }
  }

  test('is an interchange with one 850', () => {
    expect(written(writeX12Order(ORDER, X12)).split('\n')).toEqual([
      'ISA*00*          *00*          *ZZ*ROUTEONE       *01*123456789      *260824*2230*U*00401*000000042*0*P*>~',
      'GS*PO*ROUTEONE*123456789*20260824*2230*42*X*004010~',
      'ST*850*0001~',
      'BEG*00*SA*PO-2026-0815**20260824~',
      'CUR*BY*USD~',
      'TXI*TX*12.01~',
      'N1*BY*Route One Vending & Co*91*C-4711~',
      'N3*1 Depot Road~',
      'N4*Austin*TX*78701*US~',
      'N1*ST*Ana Diaz~',
      'N3*77 River Street*Gate 4~',
      'N4*Austin*TX*78702*US~',
      'PO1*1*10*CA*12.50**VN*TEA-24*EN*4006381333931~',
      'PID*F****Iced tea "Lemon" & Mint <500 ml~',
      'PO4*24~',
      'PO1*2*30*EA*0.95**VN*BAR~',
      'PID*F****Musli bar~',
      'PO1*3*3*CA*6.00**VN*GUM/7*UP*036000291452~',
      'PO4*12~',
      'CTT*3*43~',
      'AMT*TT*183.51~',
      'SE*20*0001~',
      'GE*1*42~',
      'IEA*1*000000042~',
      '',
    ])
  })

  test('a long reference needs a short number, which then stands for it', () => {
    const long = { ...ORDER, ref: 'run-2026-08-25-000000001' }
    expect(writeX12Order(long, X12)).toMatchObject({ ok: false, problem: expect.stringContaining('22 characters') })
    const document = written(writeX12Order(long, { ...X12, number: 'V000000042' }))
    expect(read(document, 2).ref).toBe('V000000042')
    expect(document).toContain('REF*CO*run-2026-08-25-000000001~')
    expect(writeX12Order(ORDER, { ...X12, number: 'A*B' })).toMatchObject({ ok: false })
  })

  test.each(['A*B', 'A~B', 'A>B', 'Tee-ä', '茶', 'x'.repeat(49)])(
    'a SKU that it cannot hold (%s) is refused',
    (sku) => {
      const order = withLines(ORDER, [{ ...ORDER.lines[0]!, vendorSku: sku }])
      expect(writeX12Order(order, X12)).toMatchObject({ ok: false, problem: expect.stringContaining('line 1') })
    },
  )

  test.each([0, 1.5, 1_000_000_000])('a control number of %d is refused', (controlNumber) => {
    expect(writeX12Order(ORDER, { ...X12, controlNumber })).toMatchObject({ ok: false })
  })

  test('reads back as it was ordered, in ASCII', () => {
    fc.assert(
      fc.property(anyOrder, fc.integer({ min: 1, max: 999_999_999 }), (order, controlNumber) => {
        const document = written(writeX12Order(order, { ...X12, controlNumber }))
        expect(document).toMatch(/^[\x20-\x7E\n]+$/)
        expect(document.indexOf('~')).toBe(105)
        expect(read(document, order.digits)).toEqual(expected(order))
      }),
    )
  })

  const samples = findSamples('x12')
  test.runIf(samples).each(['850.edi', '850_2.edi', '850_3.edi', '855.edi', '856.edi'])('%s is read whole', (name) => {
    expect(readInterchange(samples?.read(name) ?? Buffer.of())).toHaveLength(1)
  })

  test('is read by a parser that we did not write, which checks the envelope', () => {
    const orders = [
      ORDER,
      { ...ORDER, note: 'Pickup at Depot North: 2026-11-11 10:00' },
      ...fc.sample(anyOrder, { numRuns: 30, seed: 5 }),
    ]
    for (const order of orders) {
      const document = written(writeX12Order(order, X12))
      // Strict: a wrong count or control number is an error.
      const interchange = new X12Parser(true).parse(document)
      const segments =
        'functionalGroups' in interchange
          ? interchange.functionalGroups.flatMap((group) => group.transactions.flatMap((set) => set.segments))
          : []
      const values = (tag: string) =>
        segments.filter((segment) => segment.tag === tag).map(({ elements }) => elements.map(({ value }) => value))
      expect(values('BEG')[0]?.slice(0, 3)).toEqual(['00', 'SA', order.ref])
      expect(
        values('PO1').map(([number, quantity, , price, , , sku]) => [Number(number), Number(quantity), price, sku]),
      ).toEqual(
        order.lines.map(({ lineNumber, quantity, unitPrice, vendorSku }) => [
          lineNumber,
          quantity,
          decimalOf(unitPrice, order.digits),
          vendorSku,
        ]),
      )
      expect(() => new X12Parser(true).parse(document.replace(/SE\*\d+/, 'SE*999'))).toThrow(/999/)
      expect(values('AMT')).toEqual([['TT', decimalOf(order.totals.total, order.digits)]])
    }
  })
})

describe('cXML', () => {
  const read = (document: string, digits: number): ReadBack => {
    const order = childOf(tree(document), 'Request', 'OrderRequest')
    return {
      ref: childOf(order, 'OrderRequestHeader')?.attributes['orderID'] ?? '',
      lines: childrenOf(order, 'ItemOut').map((item) => [
        Number(item.attributes['lineNumber']),
        requiredText(item, 'ItemID', 'SupplierPartID'),
        Number(item.attributes['quantity']),
        unitOf(requiredText(item, 'ItemDetail', 'UnitOfMeasure')),
        minorOf(requiredText(item, 'ItemDetail', 'UnitPrice', 'Money'), digits, '.'),
      ]),
      total: minorOf(requiredText(order, 'OrderRequestHeader', 'Total', 'Money'), digits, '.'),
    }
  }

  test('states who, where, when and how much', () => {
    const root = tree(written(writeCxmlOrder(ORDER, CXML)))
    expect(root.attributes).toMatchObject({
      payloadID: payloadIdOf(ORDER.ref, CXML.host),
      timestamp: '2026-08-24T22:30:15-05:00',
    })
    expect(requiredText(root, 'Header', 'Sender', 'Credential', 'SharedSecret')).toBe('a<b')
    expect(childOf(root, 'Header', 'To', 'Credential')?.attributes).toEqual({ domain: 'DUNS' })
    const header = childOf(root, 'Request', 'OrderRequest', 'OrderRequestHeader')
    expect(requiredText(header, 'Total', 'Money')).toBe('171.50')
    expect(requiredText(header, 'Tax', 'Money')).toBe('12.01')
    expect(requiredText(header, 'ShipTo', 'Address', 'PostalAddress', 'DeliverTo')).toBe('Ana Diaz')
  })

  test('the same order gives the same document, so a retry is the same payload', () => {
    expect(writeCxmlOrder(ORDER, CXML)).toEqual(writeCxmlOrder(ORDER, CXML))
  })

  test('reads back as it was ordered', () => {
    fc.assert(
      fc.property(anyOrder, (order) => {
        expect(read(written(writeCxmlOrder(order, CXML)), order.digits)).toEqual(expected(order, 'net'))
      }),
    )
  })

  const samples = findSamples('cxml')
  const hasXmllint = spawnSync('xmllint', ['--version']).status === 0
  test.runIf(samples && hasXmllint)('is valid by its DTD', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cxml-'))
    try {
      const { account, name } = ORDER.buyer
      const bare: Order = { ...ORDER, destination: {}, buyer: { account, name, address: {} }, timeZone: 'UTC' }
      const noted: Order = { ...ORDER, note: 'Pickup at Depot North: 2026-11-11 10:00' }
      const orders = [
        ORDER,
        noted,
        bare,
        withLines(ORDER, ORDER.lines),
        ...fc.sample(anyOrder, { numRuns: 20, seed: 7 }),
      ]
      const files = orders.map((order, i) => {
        const file = join(folder, `${i}.xml`)
        // The DTD is given by hand; its address in the document is not to be fetched.
        writeFileSync(file, written(writeCxmlOrder(order, CXML)).replace(/<!DOCTYPE.*>\n/, ''))
        return file
      })
      const dtd = join(samples?.folder ?? '', 'cXML-1.2.063.dtd')
      const { status, stderr } = spawnSync('xmllint', ['--noout', '--nonet', '--dtdvalid', dtd, ...files])
      expect(stderr.toString()).toBe('')
      expect(status).toBe(0)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
