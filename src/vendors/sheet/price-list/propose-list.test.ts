import { describe, expect, test } from 'vitest'
import { type TestCell, ods, xlsx } from '../../../../test/support/workbooks.ts'
import { proposeAside } from './examine-aside.ts'
import { guessEncoding } from './guess-encoding.ts'
import { type ListAnswers, guessList } from './guess-list.ts'
import { type ListProposal, describeProposal, mergeAnswers, proposeList } from './propose-list.ts'
import { findSamples } from './samples.test-support.ts'

const FACTS = { currency: 'USD', today: '2026-11-17' }

function propose(content: string | Uint8Array, answers: ListAnswers = {}, currency = 'USD'): ListProposal {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const proposal = proposeList({ bytes, ...FACTS, currency, answers })
  if ('problem' in proposal) throw new Error(proposal.problem)
  return proposal
}
const codes = ({ questions }: Pick<ListProposal, 'questions'>) => questions.map(({ code }) => code)
const choose = (proposal: ListProposal, code: string, label: RegExp): ListAnswers => {
  const choices = proposal.questions.find((question) => question.code === code)?.choices ?? []
  const choice = choices.find((each) => label.test(each.label))
  if (!choice) throw new Error(`no ${label} in ${choices.map((each) => each.label).join('; ')}`)
  return choice.answers
}

describe('what is guessed from a file', () => {
  test.each([
    [
      'Item,Description,Pack,Case price\n1,Coke,24 ct,26.88\n',
      { columns: { sku: 'Item', title: 'Description', pack: 'Pack', pack_price: 'Case price' } },
    ],
    [
      'Preisliste 2026\n\nArt.-Nr.;Bezeichnung;VE;Nettopreis\n1;Cola;24 Stück;13,49\n',
      {
        delimiter: ';',
        decimal: ',',
        skip_rows: 2,
        prices: 'net',
        columns: { sku: 'Art.-Nr.', title: 'Bezeichnung', pack: 'VE', pack_price: 'Nettopreis' },
      },
    ],
    [
      'Art.-Nr.;Bezeichnung;VPE;Preis VPE\n1;Cola;24 Stück;13,49\n',
      {
        delimiter: ';',
        decimal: ',',
        columns: { sku: 'Art.-Nr.', title: 'Bezeichnung', pack: 'VPE', pack_price: 'Preis VPE' },
      },
    ],
    [
      '货号,品名,规格,单瓶价,箱价(含税)\n1,可乐,330ml*24,1.5,36\n',
      {
        prices: 'gross',
        columns: { sku: '货号', title: '品名', pack: '规格', each_price: '单瓶价', pack_price: '箱价(含税)' },
      },
    ],
    [
      'SKU\tName\tUPC\tPrice each ($)\n1\tCoke\t049000000443\t13.49\n',
      { delimiter: '\t', columns: { sku: 'SKU', title: 'Name', barcode: 'UPC', each_price: 'Price each ($)' } },
    ],
    // Amounts of money are no sizes of packs, whatever stands above them.
    [
      'Item #,Description,Unit $,Pk/Sz,Case $,Avail\n1,Coke,0.43,24/12oz,10.25,Y\n2,Tea,0.7917,CS,19.00,DISC\n',
      {
        columns: {
          sku: 'Item #',
          title: 'Description',
          pack: 'Pk/Sz',
          pack_price: 'Case $',
          each_price: 'Unit $',
          on_shelf: 'Avail',
        },
      },
    ],
    [
      'Itm #,Desc,UOM,Pk,EA $,CS $\n1,Coke,CS,24,0.43,10.25\n2,Tea,CS,12,0.79,9.48\n',
      { columns: { sku: 'Itm #', title: 'Desc', pack: 'Pk', pack_price: 'CS $', each_price: 'EA $' } },
    ],
    [
      'SKU,Name,Case,Price\n1,Coke,24,10.25\n2,Tea,12,9.48\n',
      { columns: { sku: 'SKU', title: 'Name', each_price: 'Price' } },
    ],
    [
      'Art.-Nr.;Bezeichnung;Kolli;Einzelpreis;Kolli-Preis\n1;Cola;24 Stück;0,56;13,49\n',
      {
        delimiter: ';',
        decimal: ',',
        columns: {
          sku: 'Art.-Nr.',
          title: 'Bezeichnung',
          pack: 'Kolli',
          pack_price: 'Kolli-Preis',
          each_price: 'Einzelpreis',
        },
      },
    ],
    [
      'Réf;Désignation;PCB;Prix colis HT;Prix unitaire\n1;Cola;24;13,49;0,56\n',
      {
        delimiter: ';',
        decimal: ',',
        columns: {
          sku: 'Réf',
          title: 'Désignation',
          pack_size: 'PCB',
          pack_price: 'Prix colis HT',
          each_price: 'Prix unitaire',
        },
      },
    ],
    [
      '编号,品名,箱规,单价,整箱价\n1,可乐,24,1.5,36\n',
      { columns: { sku: '编号', title: '品名', pack_size: '箱规', pack_price: '整箱价', each_price: '单价' } },
    ],
    ['SKU,Name,UPC,Each\n1,Coke,FL-64132,1.49\n', { columns: { sku: 'SKU', title: 'Name', each_price: 'Each' } }],
    [
      'Réf;Désignation;Colisage;Prix HT;TVA\n1;Cola;Carton de 24;13,49;20 %\n',
      {
        delimiter: ';',
        decimal: ',',
        prices: 'net',
        columns: { sku: 'Réf', title: 'Désignation', pack: 'Colisage', pack_price: 'Prix HT', tax: 'TVA' },
      },
    ],
  ])('%j', (text, settings) => {
    expect(propose(text).settings).toEqual({ format: 'table', prices: 'net', ...settings })
  })

  const GERMAN = 'Art.-Nr.;Bezeichnung;VE;Nettopreis\n1;Käse für Säfte, süß;24 Stück;13,49\n2;Öl;6 Stück;7,00\n'
  const POLISH = 'Kod,Name,Pack,Case\n1,Żółta łódka mąka,24 ct,9.00\n2,Gęś świąteczna,12 ct,8.00\n'
  const RUSSIAN = 'SKU,Name,Pack,Case\n1,Молоко пастеризованное,24 ct,9.00\n2,Хлеб ржаной,12 ct,8.00\n'
  const CHINESE = '货号,品名,规格,箱价\n1,可口可乐 330毫升,330ml*24,36.00\n2,农夫山泉饮用天然水,24瓶/箱,24.00\n'
  /** For encodings that Node only decodes. */
  const encode = (text: string, encoding: string): Buffer => {
    const decoder = new TextDecoder(encoding)
    const table = new Map<string, number[]>()
    for (let byte = 0; byte < 256; byte += 1) table.set(decoder.decode(Uint8Array.of(byte)), [byte])
    if (encoding === 'gb18030')
      for (let first = 0x81; first < 0xff; first += 1)
        for (let second = 0x40; second < 0xff; second += 1)
          table.set(decoder.decode(Uint8Array.of(first, second)), [first, second])
    return Buffer.from(Array.from(text).flatMap((sign) => table.get(sign) ?? [0x3f]))
  }
  const utf16 = (text: string, isBig = false) => {
    const bytes = Buffer.from(text, 'utf16le')
    return isBig ? bytes.swap16() : bytes
  }

  test.each([
    ['utf-8', GERMAN, Buffer.from(GERMAN)],
    ['utf-8', CHINESE, Buffer.from(`\uFEFF${CHINESE}`)],
    ['windows-1252', GERMAN, encode(GERMAN, 'windows-1252')],
    ['windows-1250', POLISH, encode(POLISH, 'windows-1250')],
    ['windows-1251', RUSSIAN, encode(RUSSIAN, 'windows-1251')],
    ['gb18030', CHINESE, encode(CHINESE, 'gb18030')],
    ['utf-16le', GERMAN, utf16(`\uFEFF${GERMAN}`)],
    ['utf-16be', GERMAN, utf16(`\uFEFF${GERMAN}`, true)],
    ['utf-16le', RUSSIAN, utf16(RUSSIAN)],
    ['utf-16be', RUSSIAN, utf16(RUSSIAN, true)],
  ])('the encoding %s', (encoding, text, bytes) => {
    expect(guessEncoding(bytes)).toBe(encoding)
    const proposal = propose(bytes)
    expect(proposal.settings.encoding ?? 'utf-8').toBe(encoding)
    expect(proposal.reading).toMatchObject({ ok: true, products: 2, waiting: 0 })
    expect(text).toContain(proposal.examples[0]?.split(':')[0])
  })

  test('nothing is lost where the last line of a list in UTF-16 is cut', () => {
    const proposal = propose(utf16(`\uFEFF${GERMAN}3;Ohne Ende;6 Stück;1`))
    expect(proposal.reading).toMatchObject({ products: 2 })
  })

  test('what cannot be a list says so', () => {
    const problemOf = (bytes: Uint8Array) => proposeList({ bytes, ...FACTS })
    expect(problemOf(Buffer.from('PK\u0003\u0004xx'))).toEqual({ problem: expect.stringContaining('workbook') })
    expect(problemOf(Buffer.from('7\n8\n'))).toEqual({ problem: expect.stringContaining('header') })
    expect(problemOf(Buffer.alloc(10))).toEqual({ problem: expect.stringMatching(/no price list.*xlsx.*CSV/) })
    expect(problemOf(Buffer.alloc(17 * 1024 * 1024, 'a'))).toEqual({ problem: 'the file has more than 16 MB' })
    expect(problemOf(Buffer.from('<?xml version="1.0"?><Order/>'))).toEqual({
      problem: expect.stringContaining('not a Catalogue'),
    })
  })
})

describe('what stays open is asked', () => {
  test('whether a price is that of one item or of a pack, where its header does not say; the answer changes only that', () => {
    const list = 'SKU,Name,Size,Unit Price\nA,Coke,24 ct,26.88\nB,Tea,12 ct,9.00\n'
    const first = propose(list)
    expect(first).toMatchObject({
      settings: { columns: { pack: 'Size', pack_price: 'Unit Price' } },
      examples: ['Coke: case of 24 $26.88 = $1.12 each', 'Tea: case of 12 $9.00 = $0.75 each'],
    })
    expect(codes(first)).toEqual(['price_unit', 'prices'])
    const gross = mergeAnswers({}, choose(first, 'prices', /gross/))
    const second = propose(list, mergeAnswers(gross, choose(first, 'price_unit', /one item/)))
    expect(second.settings).toEqual({
      format: 'table',
      prices: 'gross',
      columns: { sku: 'SKU', title: 'Name', pack: 'Size', each_price: 'Unit Price' },
    })
    expect(second.examples[0]).toBe('Coke: $26.88 each')
    expect(codes(second)).toEqual([])
    const third = propose(list, mergeAnswers(gross, { columns: { sku: null } }))
    expect(third.settings.columns).toEqual({ title: 'Name', pack: 'Size', pack_price: 'Unit Price' })
    expect(third.settings.prices).toBe('gross')
  })

  test('a price without a column for packs: of one item, or of a pack whose size another column has', () => {
    const list = 'SKU,Name,Inhalt,Preis\nA,Cola,24 Stück,13.49\nB,Tee,12 Stück,9.00\n'
    const first = propose(list)
    expect(first.examples[0]).toBe('Cola: $13.49 each')
    const second = propose(list, choose(first, 'price_unit', /size is in "Inhalt"/))
    expect(second.examples[0]).toBe('Cola: case of 24 $13.49 = $0.56 each')
  })

  test('which of two prices; the one that is paid is proposed', () => {
    const proposal = propose('SKU,Name,Pack,List Price,Your Price\nA,Coke,24 ct,30.00,26.88\n')
    expect(codes(proposal)).toContain('price')
    expect(proposal.settings.columns).toMatchObject({ pack_price: 'Your Price' })
  })

  test('headers in words that are not known: what the columns look like is proposed', () => {
    const proposal = propose('Kood;Toode;Hind\nA1;Coca-Cola purk;0,89\nA2;Aura vesi;0,59\n')
    expect(proposal.settings).toMatchObject({ columns: { title: 'Toode', each_price: 'Hind' }, decimal: ',' })
    expect(codes(proposal)).toEqual(['title', 'price', 'sku', 'prices'])
    const answered = propose('Kood;Toode;Hind\nA1;Coca-Cola purk;0,89\nA2;Aura vesi;0,59\n', {
      columns: { title: 'Toode', each_price: 'Hind', sku: 'Kood' },
      prices: 'gross',
    })
    expect([codes(answered), answered.reading]).toEqual([[], expect.objectContaining({ ok: true, products: 2 })])
  })

  test('the decimal sign, where the prices could be read both ways', () => {
    const list = 'SKU;Name;Each\nA;Tea;1.250\nB;Gum;2.500\n'
    expect(codes(propose(list))).toEqual(['decimal', 'prices'])
    expect(propose(list, { decimal: ',' })).toMatchObject({
      settings: { decimal: ',' },
      examples: ['Tea: $1,250.00 each', 'Gum: $2,500.00 each'],
    })
    expect(codes(propose('SKU;Name;Each\nA;Tea;1250\n'))).toEqual(['prices'])
    expect(codes(propose('SKU;Name;Each\nA;Tea;1,25\nB;Tea;1.25\n'))).toContain('decimal')
  })

  test('a row as the header that a person names', () => {
    const list = 'SKU,Name,Each\nArticle,Title,Price each\nA,Tea,1.25\n'
    expect(propose(list).headerRow).toBe(1)
    expect(propose(list, { skip_rows: 1 })).toMatchObject({ headerRow: 2, settings: { columns: { title: 'Title' } } })
    expect(proposeList({ bytes: Buffer.from(list), ...FACTS, answers: { skip_rows: 9 } })).toHaveProperty('problem')
  })

  test('no answer to a question leaves it open, so asking ends', () => {
    const list = 'Kood;Toode;Hind;Hind B\nA1;Coca-Cola;1.250;1,25\nA2;Aura;2.500;0,59\n'
    let answers: ListAnswers = {}
    for (let asked = 0; asked < 20; asked += 1) {
      const [question] = propose(list, answers).questions
      if (!question) break
      answers = mergeAnswers(answers, question.choices.at(-1)?.answers ?? {})
    }
    expect(codes(propose(list, answers))).toEqual([])
  })
})

describe('a column that says of articles that they are not to be had', () => {
  const rows = Array.from({ length: 260 }, (_, i) => [
    `A${i}`,
    `Tea ${i}`,
    '12 ct',
    '6.00',
    i === 250 ? 'DISCONTINUED 11/26' : i === 255 ? '停产' : i === 3 ? 'new!' : '',
  ])
  const list = [['Item #', 'Description', 'Pack', 'Case Price (net)', 'Remarks'], ...rows]
    .map((row) => row.join(';'))
    .join('\n')
    .concat('\n')

  test('is asked about, also where it stands far below, and proposed to be left out', () => {
    const proposal = propose(list)
    expect(codes(proposal)).toEqual(['on_shelf'])
    expect(proposal.questions[0]?.text).toBe(
      'The column "Remarks" says of 2 articles that they are not to be had ("DISCONTINUED 11/26"). Leave them out?',
    )
    expect(proposal.settings.columns).toMatchObject({ on_shelf: 'Remarks' })
    const yes = propose(list, choose(proposal, 'on_shelf', /^yes/))
    expect([codes(yes), yes.settings.columns?.['on_shelf']]).toEqual([[], 'Remarks'])
  })

  test('a person may say that it means nothing: then it is not asked again', () => {
    const no = propose(list, choose(propose(list), 'on_shelf', /^no/))
    expect([codes(no), no.settings.columns?.['on_shelf']]).toEqual([[], undefined])
  })

  test('is found by its words alone, whatever its header', () => {
    const words = list.replaceAll(/DISCONTINUED 11\/26|停产/g, 'OUT').replace('Remarks', 'Code 7')
    expect(propose(words)).toMatchObject({ settings: { columns: { on_shelf: 'Code 7' } }, reading: { notForSale: 2 } })
  })

  test('is no question where a column says it already, or none does', () => {
    expect(codes(propose(list.replace('Remarks', 'Status')))).toEqual([])
    expect(codes(propose(list.replaceAll(/DISCONTINUED 11\/26|停产/g, '')))).toEqual([])
  })
})

/** 300 products as a wholesaler sends them. */
function messyRows(): TestCell[][] {
  const packs = ['24/CS', '24 ct', 'case of 12', '12 x 12 oz', '6-pack', '4/6pk', 'CS', '20-24/CS', '', '1']
  const products = Array.from({ length: 300 }, (_, i): TestCell[] => [
    i % 30 === 7 ? null : 10_000 + i,
    `Product ${i}, 12 oz`,
    packs[i % packs.length] ?? '',
    i % 50 === 3
      ? 'call'
      : i % 4 === 0
        ? { formula: `=A${i}*2`, value: 10 + i / 100 }
        : { value: 10 + i / 100, format: '"$"#,##0.00' },
    { value: 4_006_381_000_000 + i, format: '0' },
    i % 60 === 9 ? 'discontinued' : null,
  ])
  const sections = products.flatMap((row, i): TestCell[][] =>
    i % 50 === 0 ? [[], [{ merged: `SECTION ${i / 50}`, over: 6 }], row] : [row],
  )
  return [
    [{ merged: 'WHOLESALE INC.', over: 6 }],
    [{ merged: 'Price list, all prices excl. sales tax', over: 4 }, { date: '2026-11-01' }],
    [],
    ['Item #', 'Product Description', 'Pack Size', 'Case Price', 'UPC', 'Status'],
    ...sections,
    [],
    [null, 'TOTAL', null, 1234.5],
    [{ merged: 'Prices subject to change without notice.', over: 6 }],
  ]
}

describe.each([
  ['xlsx', xlsx],
  ['ods', ods],
] as const)('a messy workbook (%s)', (kind, workbook) => {
  test('is understood below its titles, with three examples and what waits', () => {
    const proposal = propose(workbook({ name: 'Info', rows: [['Call us!']] }, { name: 'Prices', rows: messyRows() }))
    expect(proposal).toMatchObject({
      kind,
      headerRow: 4,
      sheets: ['Info', 'Prices'],
      settings: {
        sheet: 'Prices',
        skip_rows: 3,
        prices: 'net',
        columns: {
          sku: 'Item #',
          title: 'Product Description',
          pack: 'Pack Size',
          pack_price: 'Case Price',
          barcode: 'UPC',
          on_shelf: 'Status',
        },
      },
    })
    expect(codes(proposal)).toEqual([])
    expect(proposal.examples).toHaveLength(3)
    expect(proposal.examples[0]).toBe('Product 0, 12 oz: case of 24 $10.00 = $0.42 each')
    // Six of ten notations, without those that have no price.
    expect(proposal.reading).toMatchObject({ ok: true, products: 174, notForSale: 5, waiting: 115 })
    expect(describeProposal(proposal.reading)).toMatch(
      /^174 products; 5 not for sale; 115 wait for the size of their pack; 6 products left out; 8 rows without a product$/,
    )
    expect(proposal.reading).toMatchObject({
      packs: [
        { text: '', articles: 30 },
        { text: '20-24/CS', articles: 30 },
        { text: 'CS', articles: 30 },
        { text: '1', articles: 25 },
      ],
    })
  })

  test('two sheets with prices: which one is asked', () => {
    const rows = (name: string): TestCell[][] => [
      ['SKU', 'Name', 'Each'],
      ['A', name, 1.5],
    ]
    const bytes = workbook({ name: 'Drinks', rows: rows('Tea') }, { name: 'Snacks', rows: rows('Gum') })
    const first = propose(bytes)
    expect([codes(first), first.examples]).toEqual([['sheet', 'prices'], ['Tea: $1.50 each']])
    const second = propose(bytes, choose(first, 'sheet', /Snacks/))
    expect([codes(second), second.examples, second.settings.sheet]).toEqual([['prices'], ['Gum: $1.50 each'], 'Snacks'])
  })

  test('a list in euros with decimal commas as text and as numbers', () => {
    const rows: TestCell[][] = [
      ['Art.-Nr.', 'Bezeichnung', 'VE', 'Preis pro VE'],
      ['1', 'Cola', '24 Stück', '13,49 €'],
      ['2', 'Wasser', '6 x 1,5 l', { value: 4.99, format: '#,##0.00 [$€-407]' }],
      ['3', 'Saft', '12 Flaschen', 1204.5],
    ]
    const euros = propose(workbook({ name: 'Preise', rows }), {}, 'EUR')
    expect([euros.settings.decimal, euros.examples]).toEqual([
      ',',
      [
        'Cola: case of 24 €13.49 = €0.56 each',
        'Wasser: case of 6 €4.99 = €0.83 each',
        'Saft: case of 12 €1,204.50 = €100.38 each',
      ],
    ])
    // In a deployment of dollars nothing of it is an amount.
    expect(propose(workbook({ name: 'Preise', rows: rows.slice(0, 3) })).reading).toMatchObject({ ok: false })
  })
})

test('the same beside the requests', async () => {
  const bytes = Buffer.from('SKU,Name,Each\nA,Tea,1.25\n')
  expect(await proposeAside({ bytes, ...FACTS })).toEqual(proposeList({ bytes, ...FACTS }))
})

test('rows without anything are no list', () => {
  expect(guessList([])).toBeUndefined()
  expect(guessList([[], ['', '']])).toBeUndefined()
})

const samples = findSamples('price-lists')

test.runIf(samples)('of a real list the price is that of the pack, and it is asked about', () => {
  const proposal = propose(samples?.read('us-218-supply-products.csv') ?? Buffer.of())
  expect(proposal.settings).toMatchObject({
    columns: { sku: 'SKU', title: 'ProductName', category: 'Category', pack: 'PackSize', pack_price: 'Price' },
  })
  expect(codes(proposal)).toEqual(['price_unit', 'prices'])
  expect(proposal.reading).toMatchObject({ ok: true, products: 77 })
})

test.runIf(samples)('of a real order form with two tables side by side and no prices nothing is taken', () => {
  const proposal = propose(samples?.read('us-fairbanks-order-form.csv') ?? Buffer.of())
  expect(proposal).toMatchObject({ examples: [], reading: { ok: false } })
})

test.runIf(findSamples('peppol'))('a catalogue is known by its content', () => {
  const bytes = findSamples('peppol')?.read('Catalogue_Example.xml') ?? Buffer.of()
  expect(proposeList({ bytes, currency: 'EUR', today: '2026-11-17' })).toMatchObject({
    kind: 'ubl-catalogue',
    settings: { format: 'ubl-catalogue' },
  })
})
