/** Reads a price list of so many rows as the adapter does, in a process of its own, and reports time and memory. */
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/kernel/clock.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { processMemory } from '../../src/vendors/process-memory.ts'
import { SHEET_SUPPLY } from '../../src/vendors/sheet/index.ts'
import type { SupplyVendor } from '../../src/vendors/supply-vendor.ts'
import { attend } from '../harness.ts'

const { rows } = JSON.parse(process.argv[2] ?? '{}') as { rows: number }
const folder = mkdtempSync(join(tmpdir(), 'vendops-price-list-'))
const connection = { namespace: 'bench-supply' as Namespace, currency: 'USD', timeZone: 'UTC', isReadOnly: false }
const settings = {
  catalog: {
    file: 'list.csv',
    columns: { sku: 'Item', title: 'Description', brand: 'Brand', barcode: 'UPC', pack: 'Pack', pack_price: 'Price' },
  },
}

/** A list as wholesalers have them: quoted titles, pack texts, one row in ten without a code. */
function writeList(edition: number): void {
  const path = join(folder, 'list.csv')
  const lines = Array.from({ length: rows }, (_, i) => {
    const code = i % 10 === 9 ? '' : `SKU-${String(i).padStart(6, '0')}`
    return `${code},"Product ${i}, 500 ml ""Lemon""",Brand ${i % 300},${String(4_006_381_000_000 + i)},${6 + (i % 5) * 6}/CS,${(5 + ((i + edition) % 900) / 10).toFixed(2)}`
  })
  writeFileSync(path, ['Item,Description,Brand,UPC,Pack,Price', ...lines, ''].join('\r\n'))
  const at = Date.now() / 1000 - 60 + edition
  utimesSync(path, at, at)
}

const checked = SHEET_SUPPLY.check(settings, connection)
if (!checked.ok) throw new Error(checked.problems.join('; '))
const vendor = SHEET_SUPPLY.open(checked.settings, {
  connection,
  memory: processMemory(),
  clock: systemClock,
  timeoutMs: 10_000,
  resolvePath: (path) => join(folder, path),
  reportOlderSales: () => {},
}).vendor as SupplyVendor

let edition = 0
const read = async () => {
  const startedAt = performance.now()
  const result = await vendor.catalog()
  if (!result.ok) throw new Error(result.message)
  return { ms: performance.now() - startedAt, products: result.value.products.length }
}
attend(
  '',
  {
    import: () => {
      writeList((edition += 1))
      return read()
    },
    unchanged: read,
  },
  async () => rmSync(folder, { recursive: true }),
)
