import { describe, expect, test } from 'vitest'
import type { Namespace, SkuId } from '../../kernel/ids.ts'
import { type Alias, type AliasSource, groupBySku, pairOf, preferredAlias } from './aliases.ts'

const id = (text: string) => text as SkuId
const SUPPLY = 'acme-supply' as Namespace
const alias = (skuId: string, source: AliasSource): Alias => ({ skuId: id(skuId), source, confirmedAt: null })

describe('2.4 aliases', () => {
  test('a pair is the same from either end', () => {
    expect(pairOf(id('b-supply:1'), id('a-machine:1'))).toEqual(pairOf(id('a-machine:1'), id('b-supply:1')))
  })

  test('both ends have the alias; a rejected one is hidden', () => {
    const seen = groupBySku([
      { a: id('acme-machine:G1'), b: id('acme-supply:S1'), source: 'manual', confirmedAt: 5 },
      { a: id('acme-machine:G1'), b: id('acme-supply:S2'), source: 'rejected', confirmedAt: null },
    ])
    expect(seen.get(id('acme-machine:G1'))).toEqual([{ skuId: 'acme-supply:S1', source: 'manual', confirmedAt: 5 }])
    expect(seen.get(id('acme-supply:S1'))).toEqual([{ skuId: 'acme-machine:G1', source: 'manual', confirmedAt: 5 }])
    expect(seen.has(id('acme-supply:S2'))).toBe(false)
  })

  test.each([
    ['only barcode and manual resolve', [alias('acme-supply:S1', 'suggested')], undefined],
    ['by code', [alias('acme-supply:S1', 'barcode')], 'acme-supply:S1'],
    [
      'a person before a code',
      [alias('acme-supply:S1', 'barcode'), alias('acme-supply:S2', 'manual')],
      'acme-supply:S2',
    ],
    ['then by id', [alias('acme-supply:S2', 'barcode'), alias('acme-supply:S1', 'barcode')], 'acme-supply:S1'],
    ['another namespace is no answer', [alias('bulk-supply:S1', 'manual')], undefined],
  ] as const)('4.2 %s', (_rule, aliases, expected) => expect(preferredAlias(aliases, SUPPLY)).toBe(expected))
})
