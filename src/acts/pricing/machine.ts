/**
 * Access to one machine for a price change: a lease over all instances, so that no other change of ours is written
 * between reading its prices and writing them, and the live prices together with the current rules.
 */
import { SECOND } from '../../kernel/clock.ts'
import type { Namespace } from '../../kernel/ids.ts'
import { type Outcome, accept, refuse, refuseBusy } from '../../kernel/outcome.ts'
import { waitForLease } from '../../store/lease.ts'
import type { MachineSlot, MachineVendor } from '../../vendors/machine-vendor.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import type { Context } from '../../context.ts'
import { type Rules, requireWritesAllowed } from '../../rules/guardrails/index.ts'
import { TEXTS } from './texts.ts'

const WAIT_MS = 20 * SECOND
const RETRY_AFTER_SECONDS = 5

export interface MachineReading {
  readonly rules: Rules
  readonly slots: readonly MachineSlot[]
}

/** A platform that can change prices. */
export function pricingVendor(ctx: Pick<Context, 'vendors'>, namespace: Namespace): Outcome<MachineVendor> {
  const vendor = ctx.vendors.machine(namespace)
  if (!vendor.ok || ctx.vendors.supports(namespace, 'updatePrices')) return vendor
  return refuse('namespace_unsupported', TEXTS.cannotChangePrices(namespace))
}

/** Runs `work` while holding the machine's lease. */
export async function withMachineLock<T>(
  ctx: Context,
  location: string,
  work: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const lease = await waitForLease(ctx, `prices ${location}`, WAIT_MS)
  if (!lease) return refuseBusy(TEXTS.busy, RETRY_AFTER_SECONDS)
  try {
    return await work()
  } finally {
    await lease.release()
  }
}

/** The current rules and the live prices, never cached ones. */
export async function readMachine(
  ctx: Context,
  location: string,
  vendor: MachineVendor,
): Promise<Outcome<MachineReading>> {
  const before = await requireWritesAllowed(ctx)
  if (!before.ok) return before
  const live = await vendor.inventory(location, { live: true })
  if (!live.ok) return toRefusal(live)
  // Checked again: the machine may have taken seconds to answer.
  const now = await requireWritesAllowed(ctx)
  return now.ok ? accept({ rules: now.value.rules, slots: live.value }) : now
}
