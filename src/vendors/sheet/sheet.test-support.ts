/** A `sheet` supplier on a folder of its own. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { fen } from '../../kernel/fen.ts'
import { manualClock } from '../../kernel/clock.ts'
import { parseNamespace } from '../../kernel/ids.ts'
import type { AdapterNeeds } from '../adapter-module.ts'
import type { SendPermit } from '../contract.ts'
import type { SupplyOrder, SupplyVendor } from '../supply-vendor.ts'
import type { VendorMemory } from '../memory.ts'
import { SHEET_SUPPLY } from './index.ts'
import { testMemory } from './memory.test-support.ts'

export const LIST = [
  'sku,title,pack,case',
  'TEA-24,Iced tea,24/CS,12.50',
  'BAR,Bar,EA,0.95',
  'GUM/7,Gum,12/CS,6.00',
  '',
].join('\n')
export const CATALOG = {
  file: 'list.csv',
  columns: { sku: 'sku', title: 'title', pack: 'pack', pack_price: 'case' },
  tax_rate: 7,
}
export const BUYER = {
  name: 'Route One Vending',
  account: 'C-4711',
  address: {
    street_address: '1 Depot Road',
    address_locality: 'Austin',
    address_region: 'TX',
    postal_code: '78701',
    address_country: 'US',
  },
}
export const NOW = Date.parse('2026-11-09T15:00:00Z')

export const granted: SendPermit = async (write) => {
  write()
  return undefined
}

/** Two packs and thirty single items: 25.00 + 28.50, 7 % tax. */
export const order = (ref = 'po_1', more: Partial<SupplyOrder> = {}): SupplyOrder => ({
  ref,
  lines: [
    { vendorSku: 'TEA-24', title: 'Iced tea', quantity: 2, unit: 'pack', contains: 24, unitPriceFen: fen(1250) },
    { vendorSku: 'BAR', title: 'Bar', quantity: 30, unit: 'each', contains: 1, unitPriceFen: fen(95) },
  ],
  fulfillment: {
    method: 'shipping',
    contactName: 'Ana Diaz',
    contactPhone: '+1 512 555 0100',
    address: '77 River Street',
  },
  destination: {
    street_address: '77 River Street',
    address_locality: 'Austin',
    address_region: 'TX',
    postal_code: '78702',
    address_country: 'US',
  },
  currency: 'USD',
  totals: { subtotal: fen(5350), fulfillment: fen(0), tax: fen(375), fee: fen(0), total: fen(5725) },
  maxTotalFen: fen(5725),
  ...more,
})

export function workFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-sheet-'))
  for (const name of ['out', 'in']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'list.csv'), LIST)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface OpenOptions {
  readonly folder?: string
  readonly catalog?: object
  readonly order?: object
  readonly sites?: readonly object[]
  readonly memory?: VendorMemory
  readonly clock?: ReturnType<typeof manualClock>
  readonly needs?: Partial<AdapterNeeds>
}

export function openSheet(options: OpenOptions = {}) {
  const folder = options.folder ?? workFolder()
  const memory = options.memory ?? testMemory()
  const clock = options.clock ?? manualClock(NOW)
  const notices: string[] = []
  const settings = {
    catalog: { ...CATALOG, ...options.catalog },
    order: { via: 'folder', format: 'csv', out: 'out', buyer: BUYER, inbox: 'in', ...options.order },
    ...(options.sites && { sites: options.sites }),
  }
  // The settings of another way to send replace those of the folder.
  if (settings.order.via !== 'folder') delete (settings.order as { out?: string }).out
  const namespace = parseNamespace('wholesale-supply')
  if (!namespace) throw new Error('not a namespace')
  const connection = { namespace, currency: 'USD', timeZone: 'America/Chicago', isReadOnly: false }
  const checked = SHEET_SUPPLY.check(settings, connection)
  if (!checked.ok) throw new Error(checked.problems.join('; '))
  const opened = SHEET_SUPPLY.open(checked.settings, {
    connection,
    memory,
    clock,
    timeoutMs: 2_000,
    notice: (text) => void notices.push(text),
    resolvePath: (path) => join(folder, path),
    reportOlderSales: () => {},
    ...options.needs,
  })
  return {
    ...opened,
    vendor: opened.vendor as SupplyVendor & { close(): Promise<void> },
    folder,
    memory,
    clock,
    notices,
    out: () => readdirSync(join(folder, 'out')).toSorted(),
    sent: (name: string) => readFileSync(join(folder, 'out', name), 'utf8'),
    reply: (name: string, content: string) => writeFileSync(join(folder, 'in', name), content),
  }
}
