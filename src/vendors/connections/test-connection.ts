/** One read of a connection, with what a person needs to see whether its settings are right. Nothing is stored or sent. */
import { HOUR, systemClock } from '../../kernel/clock.ts'
import { silentLog } from '../../kernel/log.ts'
import { count } from '../../kernel/text.ts'
import type { Result } from '../contract.ts'
import { openConnection } from '../deployment.ts'
import { describeProduct, isSoldInPacks } from '../describe-product.ts'
import type { StatedPack } from '../packs.ts'
import { processMemory } from '../process-memory.ts'
import type { Vendor, VendorCapability } from '../registration.ts'
import type { SupplyProduct } from '../supply-vendor.ts'
import type { Connection } from './connection.ts'

/** Reads the catalog, or the machines or the last sales, and compares the settings with what the vendor offers. What the adapter remembers of this read is discarded. */
export async function testConnection(
  connection: Connection,
  timeoutMs: number,
  statedPacks: readonly StatedPack[] = [],
) {
  /** What the adapter left out, in its words. */
  const notices: string[] = []
  const log = { ...silentLog, warn: (_fields: object, sentence: string) => void notices.push(sentence) }
  const opened = openConnection(connection, {
    clock: systemClock,
    log,
    timeoutMs,
    memory: () => processMemory(),
    statedPacks: async () => statedPacks,
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
