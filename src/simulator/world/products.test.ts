import { expect, test } from 'vitest'
import { makeProducts, withCheckDigit } from './products.ts'

const products = makeProducts(1)
const valid = (code: string) => withCheckDigit(code.slice(0, -1)) === code
const coded = products.filter((product) => product.supply.barCode)

test('the documented code has the check digit the rule gives', () => {
  expect(withCheckDigit('692116850925')).toBe('6921168509256')
  expect(withCheckDigit('03600029145')).toBe('036000291452')
  expect(withCheckDigit('7351353')).toBe('73513537')
})

test('there are about sixty products, each code once', () => {
  expect(products.length).toBeGreaterThanOrEqual(60)
  for (const of of [
    (i: number) => products[i]?.supply.goodsNo,
    (i: number) => products[i]?.machine?.goodsCode ?? `none ${i}`,
    (i: number) => products[i]?.machine?.barCode || `none ${i}`,
  ])
    expect(new Set(products.map((_, i) => of(i))).size).toBe(products.length)
})

test('machine codes have right check digits, and all but a couple of the supplier do', () => {
  expect(products.flatMap(({ machine }) => machine?.barCode || []).filter((code) => !valid(code))).toEqual([])
  const wrong = coded.filter((product) => !valid(product.supply.barCode ?? ''))
  expect(wrong).toHaveLength(2)
})

test('a product may be UPC-A here and EAN-13 there: the same number behind a zero', () => {
  const pairs = coded.filter((product) => product.supply.barCode?.length === 12)
  expect(pairs.length).toBeGreaterThanOrEqual(3)
  for (const product of pairs) expect(product.machine?.barCode).toBe(`0${product.supply.barCode}`)
})

test('the list has every oddity the supplier documents', () => {
  const faces = products.map((product) => product.supply)
  expect(faces.some((listing) => listing.barCode === null)).toBe(true)
  expect(faces.some((listing) => listing.barCode === '')).toBe(true)
  expect(faces.some((listing) => listing.unitPriceFen === null)).toBe(true)
  expect(faces.some((listing) => listing.packNum === 1)).toBe(true)
  expect(faces.some((listing) => !listing.onShelf)).toBe(true)
  expect(faces.some((listing) => listing.onShelf && listing.stockNum === 0)).toBe(true)
  expect(faces.some((listing) => listing.imgUrl === '')).toBe(true)
  expect(faces.some((listing) => listing.packPriceFen % listing.packNum !== 0)).toBe(true)
  const renamed = products.filter(
    ({ supply, machine }) => machine && machine.goodsName !== `${supply.brandName} ${supply.goodsName}`,
  )
  expect(renamed.length).toBeGreaterThan(8)
})

test('what the demo rules forbid is on offer, and in no machine', () => {
  const forbidden = products.find((product) => product.supply.goodsNo === 'SP9009')
  expect(forbidden?.category).toBe('烟草')
  expect(forbidden?.machine).toBeUndefined()
})

test('a catalog of 50,000 is the same for the same seed and has no number and no code twice', () => {
  const many = makeProducts(1, 50_000)
  expect(JSON.stringify(makeProducts(1, 50_000)) === JSON.stringify(many)).toBe(true)
  expect(many.slice(0, products.length)).toEqual(products)
  expect(new Set(many.map((product) => product.supply.goodsNo)).size).toBe(50_000)
  const codes = many.flatMap((product) => product.supply.barCode || [])
  expect(new Set(codes).size).toBe(codes.length)
})

test('in English every name is, and everything else is the same', () => {
  const english = makeProducts(1, undefined, 1, 'en')
  expect(english).toHaveLength(products.length)
  const names = english.map(({ supply, machine, categoryName }) =>
    [supply.brandName, supply.goodsName, supply.spec, machine?.goodsName, categoryName].join(),
  )
  expect(names.filter((name) => /\p{Script=Han}/u.test(name))).toEqual([])
  expect(new Set(english.map(({ supply }) => `${supply.brandName} ${supply.goodsName}`)).size).toBe(english.length)
  const withoutNames = (list: typeof products) =>
    list.map(
      ({
        categoryName: _category,
        supply: { brandName: _brand, goodsName: _name, spec: _spec, ...supply },
        machine,
        ...rest
      }) => ({
        ...rest,
        supply,
        machine: machine && { ...machine, goodsName: '' },
      }),
    )
  expect(withoutNames(english)).toEqual(withoutNames(products))
})
