/** A service whose supplier is a price list in a folder. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { connectionNeeds } from '../../src/route/connections/index.ts'
import { manualClock } from '../../src/kernel/clock.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { silentLog } from '../../src/kernel/log.ts'
import type { SupplyVendor } from '../../src/vendors/supply-vendor.ts'
import { cachedSupply } from '../../src/vendors/cache/cached-vendors.ts'
import { registerLive } from '../../src/vendors/registry.ts'
import { SHEET_SUPPLY } from '../../src/vendors/sheet/index.ts'
import { freshStore } from '../support/database.ts'
import { scriptedMachine } from '../support/scripted-vendors.ts'
import { NOW, type Json, startService } from '../support/service.ts'
import { SHIPPING } from '../checkout/support.ts'

const NAMESPACE = 'mid-supply' as Namespace
export const HEADER = 'Item,Description,Pack,Case price'

export async function startWithList(rows: readonly string[], { header = HEADER, columns = {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-list-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'out'))
  let written = 0
  const write = (lines: readonly string[]) => {
    const file = join(folder, 'list.csv')
    writeFileSync(file, [header, ...lines, ''].join('\n'))
    written += 1
    // Not written to for a while.
    utimesSync(file, 1_000_000_000 + written, 1_000_000_000 + written)
  }
  write(rows)
  const clock = manualClock(NOW)
  const store = await freshStore()
  const needs = connectionNeeds(store, silentLog)
  const connection = { namespace: NAMESPACE, currency: 'CNY', timeZone: 'UTC', isReadOnly: false }
  const checked = SHEET_SUPPLY.check(
    {
      catalog: {
        file: 'list.csv',
        columns: { sku: 'Item', title: 'Description', pack: 'Pack', pack_price: 'Case price', ...columns },
      },
      order: { via: 'folder', format: 'x12', out: 'out', buyer: { name: 'Route One' } },
    },
    connection,
  )
  if (!checked.ok) throw new Error(checked.problems.join('; '))
  const { vendor, capabilities } = SHEET_SUPPLY.open(checked.settings, {
    connection,
    memory: needs.memory(NAMESPACE),
    statedPacks: async () => (await needs.statedPacks?.(NAMESPACE)) ?? [],
    clock,
    timeoutMs: 2_000,
    resolvePath: (path) => join(folder, path),
    reportOlderSales: () => {},
  })
  const service = await startService({
    store,
    clock,
    entries: [
      registerLive(NAMESPACE, cachedSupply(vendor as SupplyVendor, clock), capabilities),
      registerLive('acme-machine' as Namespace, scriptedMachine().vendor),
    ],
  })
  const search = async () => (await service.post('/catalog/search', { filters: { namespace: NAMESPACE } })).body
  return {
    ...service,
    write,
    /** What the list offers, by article number. */
    offered: async () =>
      (await search()).products.map(({ id, variants }: Json) => [id.split(':')[1], variants[0].price.amount]),
    problems: async (): Promise<Json[]> => {
      await search()
      const { body } = await service.get('/connections')
      const { refused_count: count, refused_rows: refused } = body.connections[0]
      expect(count).toBe(refused.length)
      return refused.map(({ id, problem }: Json) => [id, problem])
    },
    buy: (sku: string, quantity: number, unit?: 'EA' | 'BX') =>
      service.post('/checkout-sessions', {
        line_items: [{ item: { id: `${NAMESPACE}:${sku}` }, quantity, ...(unit && { quantity_unit: { unit } }) }],
        fulfillment: SHIPPING,
      }),
    document: () => {
      const [name = ''] = readdirSync(join(folder, 'out'))
      return readFileSync(join(folder, 'out', name), 'latin1')
    },
  }
}
