/**
 * Records for each connection when it was last read and how its last read failed. Kept in the database, so that every
 * instance shows the same and a restart loses nothing.
 */
import { SECOND } from '../../kernel/clock.ts'
import type { Namespace } from '../../kernel/ids.ts'
import type { FailureReason, Result } from '../../vendors/contract.ts'
import type { MachineVendor } from '../../vendors/machine-vendor.ts'
import type { SupplyVendor } from '../../vendors/supply-vendor.ts'
import type { Registry } from '../../vendors/registry.ts'
import { wrapVendors } from '../../vendors/wrap-vendors.ts'
import type { Context } from '../../context.ts'
import { saveFailure, saveRead } from './records.ts'

/** Successful reads of a connection are recorded this often; a failure and the first success after it at once. */
const RECORD_EVERY_MS = 30 * SECOND

/** With any other reason the vendor was reached and answered. */
const IS_FAILURE: Readonly<Record<FailureReason, boolean>> = {
  unauthorized: true,
  unsent: true,
  limited: true,
  unknown: true,
  rejected: false,
  absent: false,
  unsupported: false,
}

interface RecordedRead {
  readonly at: number
  /** Undefined after a success. */
  readonly failure: string | undefined
}

/** The same vendors; each read is recorded before its result is returned. */
export function recordReads(ctx: Pick<Context, 'store' | 'clock' | 'vendors' | 'log'>): Registry {
  const { store, clock, vendors, log } = ctx
  const lastRecorded = new Map<Namespace, RecordedRead>()

  async function recordRead(namespace: Namespace, result: Result<unknown>): Promise<void> {
    // That only a person can know it is an answer, too.
    if (!result.ok && (!IS_FAILURE[result.reason] || result.onlyPersonKnows)) return
    const now = clock.now()
    const failure = result.ok ? undefined : `${result.reason} ${result.message}`
    const last = lastRecorded.get(namespace)
    if (last && last.failure === failure && now >= last.at && now - last.at < RECORD_EVERY_MS) return
    lastRecorded.set(namespace, { at: now, failure })
    try {
      if (result.ok) await saveRead(store.db, namespace, now)
      else await saveFailure(store.db, namespace, now, result)
    } catch (err) {
      // The read itself is what the caller asked for; the next one is recorded.
      lastRecorded.delete(namespace)
      log.warn({ namespace, err }, 'could not record the last read of a connection')
    }
  }

  const recorded =
    <A extends readonly unknown[], T>(namespace: Namespace, read: (...args: A) => Promise<Result<T>>) =>
    async (...args: A): Promise<Result<T>> => {
      const result = await read(...args)
      await recordRead(namespace, result)
      return result
    }

  const supplyVendor = (namespace: Namespace, vendor: SupplyVendor): SupplyVendor => ({
    ...vendor,
    catalog: recorded(namespace, (query) => vendor.catalog(query)),
    orderStatus: recorded(namespace, (ref) => vendor.orderStatus(ref)),
  })
  const machineVendor = (namespace: Namespace, vendor: MachineVendor): MachineVendor => ({
    ...vendor,
    inventory: recorded(namespace, (id, freshness) => vendor.inventory(id, freshness)),
    ledger: recorded(namespace, (query) => vendor.ledger(query)),
    ...(vendor.receiveMessages && {
      receiveMessages: recorded(namespace, vendor.receiveMessages.bind(vendor)),
    }),
    ...(vendor.locations && { locations: recorded(namespace, vendor.locations.bind(vendor)) }),
  })

  return wrapVendors(vendors, { supply: supplyVendor, machine: machineVendor })
}
