import { expect, test } from 'vitest'
import { makeProducts, withCheckDigit } from './products.ts'

const goods = makeProducts(1)
const valid = (code: string) => withCheckDigit(code.slice(0, -1)) === code
const coded = goods.filter((good) => good.supply.barCode)

test('the documented code has the check digit the rule gives', () => {
  expect(withCheckDigit('692116850925')).toBe('6921168509256')
  expect(withCheckDigit('03600029145')).toBe('036000291452')
  expect(withCheckDigit('7351353')).toBe('73513537')
})

test('there are about sixty goods, each code once', () => {
  expect(goods.length).toBeGreaterThanOrEqual(60)
  for (const of of [
    (i: number) => goods[i]?.supply.goodsNo,
    (i: number) => goods[i]?.machine?.goodsCode ?? `none ${i}`,
    (i: number) => goods[i]?.machine?.barCode || `none ${i}`,
  ])
    expect(new Set(goods.map((_, i) => of(i))).size).toBe(goods.length)
})

test('machine codes have right check digits, and all but a couple of the supplier do', () => {
  expect(goods.flatMap(({ machine }) => machine?.barCode || []).filter((code) => !valid(code))).toEqual([])
  const wrong = coded.filter((good) => !valid(good.supply.barCode ?? ''))
  expect(wrong).toHaveLength(2)
})

test('a good may be UPC-A here and EAN-13 there: the same number behind a zero', () => {
  const pairs = coded.filter((good) => good.supply.barCode?.length === 12)
  expect(pairs.length).toBeGreaterThanOrEqual(3)
  for (const good of pairs) expect(good.machine?.barCode).toBe(`0${good.supply.barCode}`)
})

test('the list has every oddity the supplier documents', () => {
  const faces = goods.map((good) => good.supply)
  expect(faces.some((face) => face.barCode === null)).toBe(true)
  expect(faces.some((face) => face.barCode === '')).toBe(true)
  expect(faces.some((face) => face.unitPriceFen === null)).toBe(true)
  expect(faces.some((face) => face.packNum === 1)).toBe(true)
  expect(faces.some((face) => !face.onShelf)).toBe(true)
  expect(faces.some((face) => face.onShelf && face.stockNum === 0)).toBe(true)
  expect(faces.some((face) => face.imgUrl === '')).toBe(true)
  expect(faces.some((face) => face.packPriceFen % face.packNum !== 0)).toBe(true)
  const renamed = goods.filter(
    ({ supply, machine }) => machine && machine.goodsName !== `${supply.brandName} ${supply.goodsName}`,
  )
  expect(renamed.length).toBeGreaterThan(8)
})

test('what the demo rules forbid is on offer, and in no machine', () => {
  const forbidden = goods.find((good) => good.supply.goodsNo === 'SP9009')
  expect(forbidden?.category).toBe('烟草')
  expect(forbidden?.machine).toBeUndefined()
})

test('a catalog of 50,000 is the same for the same seed and has no number and no code twice', () => {
  const many = makeProducts(1, 50_000)
  expect(JSON.stringify(makeProducts(1, 50_000)) === JSON.stringify(many)).toBe(true)
  expect(many.slice(0, goods.length)).toEqual(goods)
  expect(new Set(many.map((good) => good.supply.goodsNo)).size).toBe(50_000)
  const codes = many.flatMap((good) => good.supply.barCode || [])
  expect(new Set(codes).size).toBe(codes.length)
})
