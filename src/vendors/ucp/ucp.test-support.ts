/** A connection to the stand-in of a merchant, for tests. */
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UCP_CARD, UCP_TOKEN } from '../../../test/contracts/ucp-merchant.ts'
import { supplyOrder } from '../../../test/support/scripted-vendors.ts'
import { manualClock } from '../../kernel/clock.ts'
import { fen } from '../../kernel/fen.ts'
import type { Namespace } from '../../kernel/ids.ts'
import type { AdapterNeeds } from '../adapter-module.ts'
import type { SupplyFulfillment, SupplyLine, SupplyOrder } from '../supply-vendor.ts'
import { type TestMemory, testMemory } from '../sheet/memory.test-support.ts'
import { UCP_SUPPLY } from './index.ts'
import type { OrderRecord } from './order-record.ts'
import type { UcpSettings } from './settings.ts'

export const testClock = () => manualClock(Date.parse('2026-09-10T14:00:00Z'))

export const testSettings = (url: string, over: Partial<UcpSettings> = {}): UcpSettings => ({
  url,
  profile: 'https://vendops.example/.well-known/ucp',
  bearer: UCP_TOKEN,
  handler: 'card',
  instrument: { id: 'instr_1', type: 'card', credential: { type: 'token', token: UCP_CARD } },
  ...over,
})

export interface Connected extends Pick<ReturnType<typeof UCP_SUPPLY.open>, 'capabilities'> {
  readonly vendor: Extract<ReturnType<typeof UCP_SUPPLY.open>['vendor'], { role: 'supply' }>
  readonly memory: TestMemory
  readonly clock: ReturnType<typeof testClock>
  readonly notices: string[]
}

export function connect(
  url: string,
  over: Partial<UcpSettings> = {},
  needs: Partial<AdapterNeeds> & { readonly memory?: TestMemory; readonly clock?: ReturnType<typeof testClock> } = {},
): Connected {
  const notices: string[] = []
  const memory = needs.memory ?? testMemory()
  const clock = needs.clock ?? testClock()
  const { vendor, capabilities } = UCP_SUPPLY.open(testSettings(url, over), {
    connection: { namespace: 'shop-supply' as Namespace, currency: 'USD', timeZone: 'UTC', isReadOnly: false },
    timeoutMs: 1500,
    sleep: () => Promise.resolve(),
    random: () => 0,
    notice: (text) => void notices.push(text),
    resolvePath: (path) => path,
    reportOlderSales: () => {},
    ...needs,
    memory,
    clock,
  })
  if (vendor.role !== 'supply') throw new Error('not a supplier')
  return { vendor, capabilities, memory, clock, notices }
}

export const SHIPPING: SupplyFulfillment = {
  method: 'shipping',
  contactName: 'Ann Lee',
  contactPhone: '+1 555 0100',
  address: '1 Main St Springfield',
}

export const ADDRESS = {
  street_address: '1 Main St',
  address_locality: 'Springfield',
  address_region: 'IL',
  address_country: 'US',
  postal_code: '62704',
  first_name: 'Ann',
  last_name: 'Lee',
  phone_number: '+1 555 0100',
}

export const WATER: readonly SupplyLine[] = [{ vendorSku: 'water', quantity: 10, unit: 'each' }]
/** 10 at 120, 10 % tax, 500 for delivery. */
export const WATER_TOTAL = 1820

export const usdOrder = (ref: string, more: Partial<SupplyOrder> = {}): SupplyOrder =>
  supplyOrder(ref, WATER, SHIPPING, {
    currency: 'USD',
    destination: ADDRESS,
    maxTotalFen: fen(WATER_TOTAL),
    ...more,
  })

export const recordOf = ({ memory }: Pick<Connected, 'memory'>, ref: string): OrderRecord | undefined =>
  memory.entries.get(`order/${ref}`)?.value as OrderRecord | undefined

/** Our references of the sessions that were bought. */
export const refsOf = ({ memory }: Pick<Connected, 'memory'>, sessions: readonly string[]): readonly string[] =>
  sessions.map((session) => {
    const records = [...memory.entries.values()].map(({ value }) => value as OrderRecord)
    return records.find(({ sessionId }) => sessionId === session)?.ref ?? `unknown session ${session}`
  })

/** A price list beside a merchant without a catalog. */
export function priceList(): { readonly catalog: NonNullable<UcpSettings['catalog']>; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'ucp-list-'))
  const file = join(folder, 'prices.csv')
  writeFileSync(file, 'sku,title,price\nwater,product water,1.20\n')
  // A list that was just written is looked at again after a pause.
  utimesSync(file, 1_700_000_000, 1_700_000_000)
  return {
    catalog: { file, columns: { sku: 'sku', title: 'title', each_price: 'price' } },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
