/** When the linker and an operator write the same pair, the result does not depend on who comes second. */
import { describe, expect, test } from 'vitest'
import { pairOf } from '../../src/route/skus/aliases.ts'
import type { StoredSource } from '../../src/route/skus/aliases.ts'
import { addLinks, confirmPair, findPairs, rejectPair, removeBarcodeLinks } from '../../src/route/skus/records.ts'
import type { SkuId } from '../../src/kernel/ids.ts'
import { freshStore } from '../support/database.ts'

const water = 'acme-machine:G-0001' as SkuId
const pair = pairOf(water, 'acme-supply:SP1001' as SkuId)

async function storedSource(source: StoredSource) {
  const store = await freshStore()
  await store.transaction(async (tx) => {
    if (source === 'manual') await confirmPair(tx, pair, 1)
    else if (source === 'rejected') await rejectPair(tx, pair, false, 1)
    else await addLinks(tx, [{ ...pair, source, confirmedAt: source === 'barcode' ? 1 : null }], 1)
  })
  return {
    ...store,
    link: (found: 'barcode' | 'suggested') =>
      store.transaction((tx) =>
        addLinks(tx, [{ ...pair, source: found, confirmedAt: found === 'barcode' ? 2 : null }], 2),
      ),
    read: async () => (await findPairs(store.db, [water])).map((row) => `${row.source} ${String(row.confirmedAt)}`),
  }
}

describe('2.4 the stored state of a pair', () => {
  test.each([
    ['suggested', 'barcode', 'barcode 2'],
    ['suggested', 'suggested', 'suggested null'],
    ['barcode', 'barcode', 'barcode 1'],
    ['barcode', 'suggested', 'barcode 1'],
    ['manual', 'barcode', 'manual 1'],
    ['manual', 'suggested', 'manual 1'],
    // Not ordered by, but the rules count it.
    ['rejected', 'barcode', 'rejected 2'],
    ['rejected', 'suggested', 'rejected null'],
  ] as const)('%s, found as %s, is %s', async (before, found, after) => {
    const rows = await storedSource(before)
    await rows.link(found)
    expect(await rows.read()).toEqual([after])
  })

  test.each([
    ['suggested', 'an operator', true, 'rejected null'],
    ['manual', 'an operator', true, 'rejected 1'],
    // 0: also equal barcodes do not bring it back.
    ['manual', 'an owner', true, 'rejected 0'],
    ['rejected', 'an operator', true, 'rejected null'],
    ['barcode', 'an owner', false, 'barcode 1'],
  ] as const)('%s, rejected by %s, answers %s and is %s', async (before, who, answer, after) => {
    const rows = await storedSource(before)
    expect(await rows.transaction((tx) => rejectPair(tx, pair, who === 'an owner', 2))).toBe(answer)
    expect(await rows.read()).toEqual([after])
  })

  test('codes that no longer agree take away a link by code, never a confirmed one', async () => {
    for (const [before, after] of [
      ['barcode', []],
      ['manual', ['manual 1']],
    ] as const) {
      const rows = await storedSource(before)
      await rows.transaction((tx) => removeBarcodeLinks(tx, [pair]))
      expect(await rows.read()).toEqual(after)
    }
  })

  test('a link found twice in one batch is written once', async () => {
    const store = await freshStore()
    const link = { ...pair, source: 'barcode', confirmedAt: 1 } as const
    await store.transaction((tx) => addLinks(tx, [link, link], 1))
    expect(await findPairs(store.db, [water])).toHaveLength(1)
  })
})
