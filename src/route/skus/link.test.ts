import { describe, expect, test } from 'vitest'
import type { Namespace, SkuId } from '../../kernel/ids.ts'
import { type StoredAlias, type StoredSource, pairOf } from './aliases.ts'
import { type Gtin, parseGtin } from './gtin.ts'
import { type SupplierProducts, indexByCode, linksByCode, linksToSupplier, knownPairs } from './link.ts'
import { buildNameIndex } from './name-index.ts'
import type { MachineProduct } from './records.ts'

const CODE = '6921168509256'
const OTHER_CODE = '96385074'

const seen = (vendorSku: string, title: string, barcode?: string): MachineProduct => ({
  skuId: `acme-machine:${vendorSku}` as SkuId,
  title,
  barcode,
  gtin: parseGtin(barcode),
})

async function side(products: readonly (readonly [string, string, string?])[]): Promise<SupplierProducts> {
  const all = products.map(([code, title, barcode]) => ({
    skuId: `acme-supply:${code}` as SkuId,
    title,
    gtin: parseGtin(barcode),
  }))
  return {
    namespace: 'acme-supply' as Namespace,
    codes: indexByCode(all),
    names: await buildNameIndex(all.map(({ skuId, title }) => [skuId, title] as const)),
    gtinOf: (id) => all.find(({ skuId }) => skuId === id)?.gtin,
  }
}

const water = seen('G1', '农夫山泉 饮用天然水 550ml', CODE)
const stands = (source: StoredSource, supply = 'S1'): StoredAlias => ({
  ...pairOf(water.skuId, `acme-supply:${supply}` as SkuId),
  source,
  confirmedAt: null,
})
const added = (links: { readonly add: readonly StoredAlias[] }) => links.add.map(({ b, source }) => `${b} ${source}`)

describe('2.4 links between products', () => {
  test('the same valid code links by itself', async () => {
    expect(added(linksToSupplier(water, await side([['S1', 'whatever', CODE]]), [], 7))).toEqual([
      'acme-supply:S1 barcode',
    ])
  })

  test('a name alone only suggests', async () => {
    const supply = await side([['S1', '农夫山泉饮用天然水 550ml']])
    expect(added(linksToSupplier(seen('G1', water.title), supply, [], 7))).toEqual(['acme-supply:S1 suggested'])
  })

  test('with a link by code, or one confirmed by hand, nothing is suggested', async () => {
    const supply = await side([
      ['S1', 'x', CODE],
      ['S2', water.title],
    ])
    expect(added(linksToSupplier(water, supply, [], 7))).toEqual(['acme-supply:S1 barcode'])
    const bare = seen('G1', water.title)
    expect(added(linksToSupplier(bare, await side([['S2', water.title]]), [stands('manual', 'S9')], 7))).toEqual([])
  })

  test.each(['rejected', 'manual', 'barcode'] as const)(
    'a pair stored as %s, and counted, is left alone',
    async (source) => {
      const stored = { ...stands(source), confirmedAt: 1 }
      expect(added(linksToSupplier(water, await side([['S1', water.title, CODE]]), [stored], 7))).toEqual([])
    },
  )

  test('codes that agree are reported of a rejected pair, too: the rules count it', async () => {
    const supply = await side([['S1', water.title, CODE]])
    expect(added(linksToSupplier(water, supply, [stands('rejected')], 7))).toEqual(['acme-supply:S1 barcode'])
  })

  test('a suggestion is raised when the codes agree', async () => {
    const supply = await side([['S1', water.title, CODE]])
    expect(added(linksToSupplier(water, supply, [stands('suggested')], 7))).toEqual(['acme-supply:S1 barcode'])
  })

  test('two valid codes that differ are two products, however similar the names', async () => {
    expect(added(linksToSupplier(water, await side([['S1', water.title, OTHER_CODE]]), [], 7))).toEqual([])
  })

  test('a link by code ends when both sides carry codes that differ, not when one side drops its code', async () => {
    const changed = linksToSupplier(water, await side([['S1', 'x', OTHER_CODE]]), [stands('barcode')], 7)
    expect(changed.outdated).toHaveLength(1)
    const dropped = linksToSupplier(water, await side([['S1', 'x']]), [stands('barcode')], 7)
    expect(dropped.outdated).toEqual([])
    const byHand = linksToSupplier(water, await side([['S1', 'x', OTHER_CODE]]), [stands('manual')], 7)
    expect(byHand.outdated).toEqual([])
  })

  test('at most three suggestions are open at the same time', async () => {
    const names = Array.from({ length: 10 }, (_, i) => [`S${i}`, water.title] as const)
    const bare = seen('G1', water.title)
    const supply = await side(names)
    expect(linksToSupplier(bare, supply, [], 7).add).toHaveLength(3)
    expect(linksToSupplier(bare, supply, [stands('suggested', 'S0'), stands('suggested', 'S1')], 7).add).toHaveLength(1)
  })

  test('a code that many products of one namespace share links none of them', async () => {
    const codes = (namespace: string, count: number) =>
      indexByCode(
        Array.from({ length: count }, (_, i) => ({
          skuId: `${namespace}:${i}` as SkuId,
          gtin: parseGtin(CODE) as Gtin,
        })),
      )
    expect(await linksByCode(codes('a-supply', 2), codes('b-supply', 3), knownPairs([]), 7)).toHaveLength(6)
    expect(await linksByCode(codes('a-supply', 1), codes('b-supply', 50_000), knownPairs([]), 7)).toEqual([])
  })

  test('50,000 products against 1,000 without comparing each with each', async () => {
    const flavours = ['经典', '柠檬', '葡萄', '海盐', '抹茶', '蜂蜜', '荔枝', '薄荷', '香草', '山楂']
    const title = (i: number) =>
      `品牌${i % 97} ${flavours[i % 10] ?? ''}饮料${i % 331}号 第${Math.floor(i / 331)}批 ${200 + (i % 13) * 50}ml`
    const supply = await side(Array.from({ length: 50_000 }, (_, i) => [`S${i}`, title(i)] as const))
    const before = process.threadCpuUsage()
    let suggested = 0
    for (let i = 0; i < 1000; i++)
      suggested += linksToSupplier(seen(`G${i}`, title(i * 50)), supply, [], 7).add.length > 0 ? 1 : 0
    const perGoodMs = process.threadCpuUsage(before).user / 1000 / 1000
    expect(suggested).toBe(1000)
    // A comparison with all 50,000 takes some 50 ms; a slow machine still stays far below.
    expect(perGoodMs).toBeLessThan(20)
  })
})
