/** One read of every connection, made here and not by the service: it works before the first start, too. */
import { HOUR, systemClock } from '../../kernel/clock.ts'
import { silentLog } from '../../kernel/log.ts'
import type { Connection } from '../../vendors/connections/connection.ts'
import type { Failure, Result } from '../../vendors/contract.ts'
import type { Vendor, VendorCapability } from '../../vendors/registration.ts'
import { openConnection } from '../../vendors/deployment.ts'
import { describeProduct, isSoldInPacks } from '../../vendors/describe-product.ts'
import { processMemory } from '../../vendors/process-memory.ts'
import { possibleCapabilities } from '../../vendors/registry.ts'
import { count } from '../../kernel/text.ts'
import type { SupplyProduct } from '../../vendors/supply-vendor.ts'
import { type Finding, fail, pass } from './check.ts'

const ABILITIES = {
  catalog: 'read the catalog',
  createOrder: 'place orders',
  orderStatus: 'follow orders',
  quote: 'quote totals',
  inventory: 'read stock and prices',
  ledger: 'read sales',
  updatePrices: 'change prices',
  restockRecommend: 'send restock recommendations',
  locations: 'list its machines',
  health: 'report the health of machines',
  cash: 'count the cash in machines',
} as const satisfies Record<VendorCapability, string>

const FIXES = {
  unauthorized: 'check the credentials of this connection',
  unsent: 'check its address or folder, and the network of the server',
  limited: 'wait a minute',
  rejected: 'correct the setting that it names in VENDORS_FILE',
} as const satisfies Partial<Record<Failure['reason'], string>>

/** `can …; cannot …`, of everything that a vendor of this role could do. */
export function describeCapabilities(role: Vendor['role'], capabilities: readonly VendorCapability[]): string {
  const all = possibleCapabilities(role)
  const words = (isAble: boolean) =>
    all.filter((name) => capabilities.includes(name) === isAble).map((name) => ABILITIES[name])
  const [can, cannot] = [words(true), words(false)]
  return [can.length > 0 ? `can ${can.join(', ')}` : '', cannot.length > 0 ? `cannot ${cannot.join(', ')}` : '']
    .filter((part) => part !== '')
    .join('; ')
}

/** Reads the catalog, or the machines or the last sales, and compares the settings with what the vendor offers. What the adapter remembers of this read is discarded. */
export async function testConnection(connection: Connection, timeoutMs: number) {
  /** What the adapter left out, in its words. */
  const notices: string[] = []
  const log = { ...silentLog, warn: (_fields: object, sentence: string) => void notices.push(sentence) }
  const opened = openConnection(connection, {
    clock: systemClock,
    log,
    timeoutMs,
    memory: () => processMemory(),
    ledgerChanged: () => {},
  })
  try {
    const read = await readOnce(opened.vendor, opened.capabilities, connection.basics.currency)
    const verified = read.ok ? await opened.verify?.() : undefined
    const result: Result<string> =
      verified && !verified.ok ? verified : read.ok ? { ok: true, value: read.value.text } : read
    return { result, capabilities: opened.capabilities, notices, examples: read.ok ? read.value.examples : [] }
  } finally {
    await opened.close()
  }
}

interface TestRead {
  readonly text: string
  /** Products as they would be bought, for a person to check. */
  readonly examples: readonly string[]
}

async function readOnce(
  vendor: Vendor,
  capabilities: readonly VendorCapability[],
  currency: string,
): Promise<Result<TestRead>> {
  if (vendor.role === 'supply') {
    const catalog = await vendor.catalog()
    return summary(
      catalog,
      ({ products }) => count(products.length, 'product'),
      ({ products }) =>
        products.length === 0
          ? ['nothing can be ordered with these settings']
          : chooseExamples(products).map((product) => describeProduct(product, currency)),
    )
  }
  if (vendor.locations && capabilities.includes('locations'))
    return summary(await vendor.locations(), (machines) => count(machines.length, 'machine'))
  const now = systemClock.now()
  return summary(await vendor.ledger({ fromMs: now - HOUR, toMs: now, size: 1 }), () => 'sales are readable')
}

function summary<T>(
  result: Result<T>,
  describe: (value: T) => string,
  examplesOf: (value: T) => readonly string[] = () => [],
): Result<TestRead> {
  if (!result.ok) return result
  const unreadable = result.unreadable?.length ?? 0
  const text = describe(result.value) + (unreadable === 0 ? '' : `, ${count(unreadable, 'unreadable row')}`)
  return { ok: true, value: { text, examples: examplesOf(result.value) } }
}

const EXAMPLES = 3

/** Packs first: their prices are the ones that are misread. */
const chooseExamples = (products: readonly SupplyProduct[]): readonly SupplyProduct[] =>
  [...products.filter(isSoldInPacks), ...products.filter((product) => !isSoldInPacks(product))].slice(0, EXAMPLES)

export const checkConnections = (connections: readonly Connection[], timeoutMs: number): Promise<Finding[]> =>
  Promise.all(
    connections.map(async (connection) => {
      const check = `vendor ${connection.basics.namespace}`
      const { result, capabilities } = await testConnection(connection, timeoutMs)
      if (result.ok)
        return pass(check, `${result.value}; ${describeCapabilities(connection.module.role, capabilities)}`)
      const fix = (FIXES as Partial<Record<Failure['reason'], string>>)[result.reason]
      return fail(check, `${result.reason}: ${result.message}`, fix ?? 'check the log of the service')
    }),
  )
