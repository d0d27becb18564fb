/** A program that places one order and kills itself at a given step. Its memory is a file, so that it outlives the process. */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../kernel/clock.ts'
import { fen } from '../../kernel/fen.ts'
import type { Namespace } from '../../kernel/ids.ts'
import type { SupplyVendor } from '../supply-vendor.ts'
import type { Remembered, VendorMemory } from '../memory.ts'
import { SHEET_SUPPLY } from './index.ts'

/** One process at a time uses it. */
export function fileMemory(path: string, step: () => void = () => {}): VendorMemory {
  const load = () => new Map(existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as [string, Remembered][]) : [])
  return {
    get: async (key) => load().get(key),
    list: async (prefix) =>
      [...load()].filter(([key]) => key.startsWith(prefix)).map(([key, entry]) => ({ key, ...entry })),
    async put(key, value, version) {
      step()
      const entries = load()
      if ((entries.get(key)?.version ?? 0) !== version) return undefined
      entries.set(key, { value, version: version + 1 })
      const file = openSync(`${path}.new`, 'w')
      writeSync(file, JSON.stringify([...entries]))
      fsyncSync(file)
      closeSync(file)
      renameSync(`${path}.new`, path)
      step()
      return version + 1
    },
  }
}

const [folder, crashAt] = process.argv.slice(2)
if (import.meta.main && folder !== undefined) {
  let steps = 0
  const step = () => {
    steps += 1
    if (steps === Number(crashAt)) process.kill(process.pid, 'SIGKILL')
  }
  const connection = {
    namespace: 'wholesale-supply' as Namespace,
    currency: 'USD',
    timeZone: 'UTC',
    isReadOnly: false,
  }
  const settings = {
    catalog: { file: 'list.csv', columns: { sku: 'sku', title: 'title', each_price: 'price' } },
    order: { via: 'folder', format: 'csv', out: 'out', buyer: { name: 'Route One' } },
  }
  const checked = SHEET_SUPPLY.check(settings, connection)
  if (!checked.ok) throw new Error(checked.problems.join())
  const { vendor } = SHEET_SUPPLY.open(checked.settings, {
    connection,
    memory: fileMemory(join(folder, 'memory.json'), step),
    clock: systemClock,
    timeoutMs: 5_000,
    resolvePath: (path) => join(folder, path),
    reportOlderSales: () => {},
  })
  const answer = await (vendor as SupplyVendor).createOrder(
    {
      ref: 'po_1',
      lines: [{ vendorSku: 'A', title: 'A', quantity: 1, unit: 'each', contains: 1, unitPriceFen: fen(100) }],
      fulfillment: { method: 'shipping', contactName: 'Ana', contactPhone: '1', address: '1 Road' },
      currency: 'USD',
      totals: { subtotal: fen(100), fulfillment: fen(0), tax: fen(0), fee: fen(0), total: fen(100) },
      maxTotalFen: fen(100),
    },
    async (write) => {
      step()
      write()
      step()
      return undefined
    },
  )
  console.log(JSON.stringify(answer))
}
