import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeProducts } from '../../simulator/world/products.ts'
import { MIN_SIMILARITY, nameSimilarity, parseName } from './similarity.ts'

const similarity = (left: string, right: string): number => nameSimilarity(parseName(left), parseName(right))

const title = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    '农夫山泉 饮用天然水 550ml',
    'Coca-Cola Zero 330ml',
    '乐事薯片(美国经典原味)40g',
    "M&M's 牛奶巧克力豆 40g",
  ),
)

describe('2.4 names that suggest the same product', () => {
  test.each([
    ['农夫山泉 饮用天然水 550ml', '农夫山泉饮用天然水550ML'],
    ['农夫山泉 饮用天然水 550ml', '农夫山泉 饮用天然水 550毫升*24瓶'],
    ['百岁山 饮用天然矿泉水 1.5L', '百岁山饮用天然矿泉水 1500ml'],
    ['可口可乐 零度汽水 500ml', '可口可乐零度 500ml'],
    ['乐事 薯片 原味 40g', '乐事薯片(美国经典原味)40g'],
    ['三得利 无糖乌龙茶 500ml', '三得利乌龙茶（无糖）５００ｍｌ'],
    ["M&M's 牛奶巧克力豆 40g", "MM's 牛奶巧克力豆 40g"],
    ['Coca-Cola Zero Sugar 330ml', 'COCA COLA zero sugar 330 ml'],
    ['Red Bull Energy Drink 250ml', 'Red Bull energy 250ml can'],
  ])('%s ~ %s', (left, right) => expect(similarity(left, right)).toBeGreaterThanOrEqual(MIN_SIMILARITY))

  test.each([
    ['农夫山泉 饮用天然水 550ml', '农夫山泉 饮用天然水 1.5L'],
    ['怡宝 饮用纯净水 555ml', '农夫山泉 饮用天然水 550ml'],
    ['康师傅 冰红茶 500ml', '统一 绿茶 500ml'],
    ['乐事 薯片 原味 40g', '可口可乐 汽水 500ml'],
    ['Coca-Cola Zero 330ml', 'Pepsi Max 330ml'],
    ['Snickers 51g', 'Twix 50g'],
    ['', '农夫山泉'],
    ['550ml', '550ml'],
  ])('%s is not %s', (left, right) => expect(similarity(left, right)).toBeLessThan(MIN_SIMILARITY))

  test('of all simulated products, the machine’s name is most similar to its own', () => {
    const products = makeProducts(1)
    const supplied = products.map(({ index, supply }) => ({ index, title: `${supply.brandName} ${supply.goodsName}` }))
    for (const { index, machine } of products) {
      if (!machine) continue
      const scores = supplied.map((other) => ({ ...other, score: similarity(machine.goodsName, other.title) }))
      const best = scores.toSorted((a, b) => b.score - a.score)[0]
      expect(best, machine.goodsName).toMatchObject({ index })
      expect(best?.score).toBeGreaterThanOrEqual(MIN_SIMILARITY)
    }
  })

  test('it is symmetric, between 0 and 1, and 1 for a name with itself', () => {
    fc.assert(
      fc.property(title, title, (left, right) => {
        const score = similarity(left, right)
        expect(score).toBe(similarity(right, left))
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(1 + 1e-9)
      }),
    )
    expect(similarity('农夫山泉 饮用天然水 550ml', '农夫山泉 饮用天然水 550ml')).toBeCloseTo(1)
  })
})
