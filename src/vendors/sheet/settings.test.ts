import { expect, test } from 'vitest'
import { COLUMNS } from './price-list/price-list.ts'
import { checkSettings } from './settings.ts'
import { BUYER, CATALOG } from './sheet.test-support.ts'

const USD = { currency: 'USD' }
const ORDER = { via: 'folder', format: 'csv', out: 'out', buyer: BUYER }
const MAIL = {
  via: 'email',
  format: 'csv',
  buyer: BUYER,
  from: 'a@b.example',
  to: 'c@d.example',
  smtp: 'smtps://u:p@m.example',
}

test.each<[string, object]>([
  ['a catalog alone', { catalog: CATALOG }],
  ['a folder', { catalog: CATALOG, order: ORDER }],
  [
    'e-mail to several',
    { catalog: CATALOG, order: { ...MAIL, to: ['c@d.example', 'e@f.example'], cc: 'g@h.example' } },
  ],
  ['HTTP', { catalog: CATALOG, order: { via: 'http', format: 'cxml', url: 'https://x.example/c', buyer: BUYER } }],
  ['a UBL catalogue', { catalog: { file: 'in/*.xml', format: 'ubl-catalogue', prices: 'gross' } }],
  ['sites', { catalog: CATALOG, sites: [{ id: 'n', name: 'North', address: '1 Road' }] }],
  [
    'everything about lists',
    {
      catalog: {
        ...CATALOG,
        encoding: 'gb18030',
        delimiter: ';',
        decimal: ',',
        skip_rows: 3,
        max_loss: 80,
        tax_rate: 8.875,
      },
    },
  ],
  ['a cut-off', { catalog: CATALOG, order: { ...ORDER, cutoff: 'Tue 12:00', lead_days: 2, inbox: 'in' } }],
])('%s is accepted', (_, settings) => {
  expect(checkSettings(settings, USD)).toEqual({ ok: true, settings })
})

test.each<[object, readonly string[]]>([
  [{}, ['catalog is missing']],
  [{ catalog: { file: 'a.csv' } }, ['catalog.columns is missing']],
  [
    { catalog: { file: 'a.csv', columns: { brand: 't' } } },
    ['catalog.columns.title is missing', 'catalog.columns must name pack_price, each_price or both'],
  ],
  [
    { catalog: { ...CATALOG, encoding: 'utf-16', delimiter: ';;', decimal: 'x', skip_rows: -1, tax_rate: 101 } },
    [
      'catalog.encoding must be one of utf-8, utf-16le, utf-16be, gb18030, windows-1250, windows-1251, windows-1252, windows-1253, windows-1254',
      'catalog.delimiter must be one character, such as , or ;',
      'catalog.decimal must be one of ., ,',
      'catalog.skip_rows must be a whole number from 0 to 1000',
      'catalog.tax_rate must be a percentage from 0 to 100',
    ],
  ],
  [
    { catalog: { ...CATALOG, tax_rate: 7.123456 } },
    ['catalog.tax_rate must be a percentage with at most 4 digits after the point'],
  ],
  [{ catalog: { ...CATALOG, colums: {} } }, ['catalog has an unknown field "colums"']],
  [{ catalog: { file: 'a', format: 'ubl-catalogue', columns: {} } }, ['catalog.columns is for the format table only']],
  [{ catalog: CATALOG, order: { ...ORDER, out: undefined } }, ['order.out is missing']],
  [
    { catalog: CATALOG, order: { via: 'email', format: 'csv', buyer: BUYER } },
    ['order.to is missing', 'order.from is missing', 'order.smtp is missing'],
  ],
  [
    { catalog: CATALOG, order: { ...MAIL, to: 'nobody', from: 'a@b\r\nBcc: x@y', smtp: 'https://x.example' } },
    [
      'order.to must be an e-mail address or a list of them',
      'order.from must be an e-mail address',
      'order.smtp must be an smtp or smtps URL',
    ],
  ],
  [{ catalog: CATALOG, order: { ...ORDER, smtp: 'smtp://m.example' } }, ['order.smtp is for orders via email only']],
  [
    { catalog: CATALOG, order: { via: 'http', format: 'ubl', url: 'https://x.example', buyer: BUYER } },
    ['order.format must be cxml for orders via http'],
  ],
  [
    { catalog: CATALOG, order: { via: 'http', format: 'cxml', url: 'https://u:p@x.example', buyer: BUYER } },
    ['order.url must be an http or https URL without a user name and password'],
  ],
  [
    { catalog: CATALOG, order: { ...ORDER, cutoff: 'noon', lead_days: 1.5, buyer: {}, x12: { sender: { id: '1' } } } },
    [
      'order.cutoff must be a day and a time such as "Tue 12:00"',
      'order.lead_days must be a whole number from 0 to 365',
      'order.buyer.name is missing',
      'order.x12.sender.qualifier is missing',
      'order.x12.sender.id must be 2 to 15 letters, digits, dots and hyphens',
      'order.x12 is for the format x12 only',
    ],
  ],
  [{ catalog: CATALOG, order: { ...ORDER, cxml: {} } }, ['order.cxml is for the format cxml only']],
  // Rules over several members are checked although others are wrong.
  [
    { catalog: { file: 'a.csv', columns: { sku: 's' } }, order: { via: 'email', format: 'csv', to: 'x' }, odd: 1 },
    [
      'has an unknown field "odd"',
      'order.buyer is missing',
      'order.to must be an e-mail address or a list of them',
      'order.from is missing',
      'order.smtp is missing',
      'catalog.columns.title is missing',
      'catalog.columns must name pack_price, each_price or both',
    ],
  ],
  [
    { catalog: { file: 'a.csv', columns: 'x' } },
    [`catalog.columns must be an object with some of ${COLUMNS.join(', ')}`],
  ],
  [{ catalog: CATALOG, sites: [{ id: 'a' }, { id: 'a' }] }, ['sites has an id twice']],
])('%#: every problem is named', (settings, problems) => {
  const checked = checkSettings(JSON.parse(JSON.stringify(settings)), USD)
  expect(checked.ok ? [] : [...checked.problems].toSorted()).toEqual([...problems].toSorted())
})

test('a currency with three digits does not fit into a Peppol order', () => {
  const settings = { catalog: CATALOG, order: { ...ORDER, format: 'ubl' } }
  expect(checkSettings(settings, { currency: 'KWD' })).toEqual({
    ok: false,
    problems: ['order.format must not be ubl: such orders cannot state amounts of KWD'],
  })
  expect(checkSettings({ catalog: CATALOG }, { currency: 'XYZ' })).toMatchObject({ ok: false })
})
