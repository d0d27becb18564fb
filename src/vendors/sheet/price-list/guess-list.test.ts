import { expect, test } from 'vitest'
import { ods, xlsx } from '../../../../test/support/workbooks.ts'
import { guessList } from './guess-list.ts'
import { findSamples } from './samples.test-support.ts'

test.each([
  [
    'Item,Description,Pack,Case price\n1,Coke,24 ct,26.88\n',
    { delimiter: ',', columns: { sku: 'Item', title: 'Description', pack: 'Pack', pack_price: 'Case price' } },
  ],
  [
    'Preisliste 2026\n\nArt.-Nr.;Bezeichnung;VE;Preis\n1;Cola;24 Stück;13,49\n',
    {
      delimiter: ';',
      decimal: ',',
      skipRows: 2,
      columns: { sku: 'Art.-Nr.', title: 'Bezeichnung', pack: 'VE', pack_price: 'Preis' },
    },
  ],
  [
    '货号,品名,规格,单价,箱价\n1,可乐,330ml*24,1.5,36\n',
    { columns: { sku: '货号', title: '品名', pack: '规格', each_price: '单价', pack_price: '箱价' } },
  ],
  [
    'SKU\tName\tUPC\tPrice\n1\tCoke\t049000000443\t13.49\n',
    { delimiter: '\t', columns: { sku: 'SKU', title: 'Name', barcode: 'UPC', each_price: 'Price' } },
  ],
  ['SKU,Name,UPC,Price\n1,Coke,FL-64132,1.49\n', { columns: { sku: 'SKU', title: 'Name', each_price: 'Price' } }],
])('%j is guessed', (text, expected) => {
  expect(guessList(Buffer.from(text))).toMatchObject(expected)
})

test('the encoding is guessed; a list in windows-1252 is not taken for Chinese', () => {
  const latin = Buffer.from('Art.-Nr.;Bezeichnung;VE;Preis\n1;K\u00e4se;24 St\u00fcck;13,49\n', 'latin1')
  expect(guessList(latin)).toMatchObject({ encoding: 'windows-1252', columns: { pack_price: 'Preis' } })
})

test('what cannot be a list says so', () => {
  expect(guessList(Buffer.from('PK\u0003\u0004xx'))).toEqual({ problem: expect.stringContaining('workbook') })
  expect(guessList(Buffer.from('a,b\n1,2\n'))).toEqual({ problem: expect.stringContaining('header') })
})

test.each([
  ['xlsx', xlsx],
  ['ods', ods],
])('in a workbook (%s) the header is found below the titles', (_, write) => {
  const rows = [
    [{ merged: 'Wholesale Inc.', over: 4 }],
    [],
    ['Item', 'Description', 'Pack', 'Case price'],
    ['1', 'Coke', '24 ct', 26.88],
  ]
  expect(guessList(write({ name: 'Prices', rows }))).toMatchObject({
    skipRows: 2,
    decimal: '.',
    columns: { sku: 'Item', title: 'Description', pack: 'Pack', pack_price: 'Case price' },
  })
})

const samples = findSamples('price-lists')

test.runIf(samples)('of a real list the price is that of the pack', () => {
  expect(guessList(samples?.read('us-218-supply-products.csv') ?? Buffer.of())).toMatchObject({
    columns: { sku: 'SKU', title: 'ProductName', pack: 'PackSize', pack_price: 'Price' },
  })
})
