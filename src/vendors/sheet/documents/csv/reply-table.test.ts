import { describe, expect, test } from 'vitest'
import { xlsx } from '../../../../../test/support/workbooks.ts'
import { REF, replies, problem, csv, CSV_REPLY } from '../replies.test-support.ts'
import { readTableReplies } from './reply-table.ts'

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
    ['po,status,sku,qty\nA,perhaps,,\n', /Row 2: what does “perhaps” mean/],
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

describe("tables with a supplier's own headers", () => {
  const lines = (text: string) => replies(csv(text)).map(({ ref, kind, lines: of }) => [ref, kind, of])

  test.each<[string, string, readonly unknown[]]>([
    [
      'a confirmation with what was ordered beside it',
      'Acme Wholesale\nConfirmation,,,\nCustomer PO,Item No.,Qty Ordered,Qty Confirmed\nA,X,10,10\nA,Y,4,1\nA,Z,2,0\n',
      [
        [
          'A',
          'changed',
          [
            { kind: 'accepted', vendorSku: 'X', quantity: 10 },
            { kind: 'changed', vendorSku: 'Y', quantity: 1 },
            { kind: 'rejected', vendorSku: 'Z', quantity: 0 },
          ],
        ],
      ],
    ],
    [
      'a ship notice, of which a part comes later',
      'PO Number;SKU;Quantity;Shipped;B/O;UOM\nA;X;10;7;3;CS\nA;Y;4;4;0;EA\n',
      [
        ['A', 'changed', [{ kind: 'changed', vendorSku: 'X', unit: 'pack', quantity: 10, backordered: 3 }]],
        [
          'A',
          'shipped',
          [
            { kind: 'shipped', vendorSku: 'X', unit: 'pack', quantity: 7 },
            { kind: 'shipped', vendorSku: 'Y', unit: 'each', quantity: 4 },
          ],
        ],
      ],
    ],
    [
      'in German, with the number above the table and a total below it',
      'Ihre Bestellung:;A;;\nPos;Bestellmenge;Bestätigte Menge;Status\n1;10;8;teilweise\n2;4;;nicht lieferbar\nSumme;14;8;\n',
      [
        [
          'A',
          'changed',
          [
            { kind: 'changed', lineNumber: 1, quantity: 8 },
            { kind: 'rejected', lineNumber: 2, quantity: 0 },
          ],
        ],
      ],
    ],
    [
      'in Chinese',
      '采购单号,货号,订购数量,确认数量,状态\nA,X,10,10,已确认\nA,Y,4,0,缺货\n',
      [
        [
          'A',
          'changed',
          [
            { kind: 'accepted', vendorSku: 'X', quantity: 10 },
            { kind: 'rejected', vendorSku: 'Y', quantity: 0 },
          ],
        ],
      ],
    ],
  ])('%s', (_, text, expected) => {
    expect(lines(text)).toEqual(expected)
  })

  test('a workbook is read as CSV is', () => {
    const book = xlsx({
      name: 'Confirmation',
      rows: [['PO number: A'], ['Article', 'Confirmed', 'Unit'], ['X', 10, 'case'], ['Y', 0]],
    })
    expect(readTableReplies(book, { encoding: 'utf-8' })).toMatchObject({
      ok: true,
      replies: [
        {
          ref: 'A',
          lines: [
            { kind: 'accepted', vendorSku: 'X', quantity: 10, unit: 'pack' },
            { kind: 'rejected', vendorSku: 'Y' },
          ],
        },
      ],
    })
  })

  test.each([
    ['PO,SKU,Qty\nA,X,10\n', /status/],
    [
      'PO,SKU,Qty Confirmed,Allocated\nA,X,1,2\n',
      /^Which column is the confirmed quantity: “Qty Confirmed” or “Allocated”\?$/,
    ],
    ['Order No,SKU,Status,Qty\nA,X,zugesagt,10\n', /^Row 2: what does “zugesagt” mean\?$/],
    ['PO,SKU,Qty Confirmed,UOM\nA,X,1,pallet\n', /unit pallet/],
    ['PO: A,,\nYour order: B,,\nSKU,Qty Confirmed,\nX,1,\n', /two order numbers/],
    ['SKU,Qty Confirmed\nX,1\n', /po/],
  ])('%j is not guessed', (text, expected) => {
    expect(problem(csv(text))).toMatch(expected)
  })

  const TABLE = 'PO,SKU,Status,Qty\nA,X,accepted,1\nA,Y,'
  test.each([
    [`${TABLE}Short ,2\n`, 'Row 3: what does “Short” mean?', 4],
    [`${TABLE}-,2\n`, 'Row 3: what does “-” mean?', 4],
    [`${TABLE}${'so '.repeat(30)},2\n`, undefined, 0],
    ['PO,SKU,Shipped,Qty Shipped\nA,X,1,2\n', 'Which column is the shipped quantity: “Shipped” or “Qty Shipped”?', 2],
  ])('%j asks, and with any of the answers it is read', (text, question, choices) => {
    const read = csv(text)
    const asked = read.ok ? undefined : read.question
    expect([asked?.text, asked?.choices.length ?? 0]).toEqual([question, choices])
    for (const { answers } of asked?.choices ?? []) {
      const { reply_words: words, reply_columns: columns } = answers['order'] as Record<string, Record<string, never>>
      const again = readTableReplies(Buffer.from(text.replace(',2\n', ',0\n')), { encoding: 'utf-8', words, columns })
      expect(again.ok).toBe(true)
    }
  })

  test('a sign that means something says nothing about empty cells', () => {
    const settings = { encoding: 'utf-8', words: { '-': 'rejected' } } as const
    const read = readTableReplies(Buffer.from('PO,SKU,Status,Qty Confirmed\nA,X,,1\nA,Y,-,0\n'), settings)
    expect(replies(read)[0]?.lines.map(({ kind }) => kind)).toEqual(['accepted', 'rejected'])
  })

  test('what the settings say comes before every guess', () => {
    const read = (text: string, answers: object) =>
      readTableReplies(Buffer.from(text), { encoding: 'utf-8', ...answers })
    expect(
      read('Auftrag,SKU,Qty Confirmed,Allocated,Status\nA,X,1,2,zugesagt\n', {
        columns: { po: 'Auftrag', qty: 'Allocated' },
        words: { Zugesagt: 'accepted' },
      }),
    ).toMatchObject({ replies: [{ ref: 'A', lines: [{ kind: 'accepted', quantity: 2 }] }] })
  })
})
