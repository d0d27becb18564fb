/**
 * One machine at a time over all instances: between reading its prices and writing them nobody else of ours writes.
 * And nothing is written that the rules of this moment do not allow.
 */
import { SECOND } from '../../kernel/clock.ts'
import type { Namespace } from '../../kernel/ids.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import { waitForLease } from '../../store/lease.ts'
import type { MachineSlot, MachineVendor } from '../../vendors/contract.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import type { Context } from '../context.ts'
import { readGuardrails, killSwitchRefusal } from '../guardrails/index.ts'
import type { Rules } from '../guardrails/index.ts'

const WAIT_MS = 20 * SECOND
const RETRY_AFTER_SECONDS = 5

export interface MachineReading {
  readonly vendor: MachineVendor
  readonly rules: Rules
  readonly slots: readonly MachineSlot[]
}

/** A platform that can change prices (2.9). */
export function pricingVendor(ctx: Pick<Context, 'vendors'>, namespace: Namespace): Outcome<MachineVendor> {
  const vendor = ctx.vendors.machine(namespace)
  if (!vendor.ok || ctx.vendors.supports(namespace, 'updatePrices')) return vendor
  return refuse('namespace_unsupported', `${namespace} cannot change prices`)
}

/** Waits its turn at the machine; the work itself may refuse, too. */
export async function withMachineLock<T>(
  ctx: Context,
  location: string,
  work: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const lease = await waitForLease(ctx, `prices ${location}`, WAIT_MS)
  if (!lease)
    return refuse('upstream_unreachable', 'another price change of this machine is still running', undefined, {
      retryAfter: RETRY_AFTER_SECONDS,
    })
  try {
    return await work()
  } finally {
    await lease.release()
  }
}

/** The rules and the live prices (never kept ones). */
export async function readMachine(
  ctx: Context,
  location: string,
  vendor: MachineVendor,
): Promise<Outcome<MachineReading>> {
  const before = await readRulesForWriting(ctx)
  if (!before.ok) return before
  const live = await vendor.inventory(location, { live: true })
  if (!live.ok) return toRefusal(live)
  // The machine may have taken its time: a stop pulled meanwhile counts.
  const now = await readRulesForWriting(ctx)
  return now.ok ? accept({ vendor, rules: now.value, slots: live.value }) : now
}

async function readRulesForWriting(ctx: Context): Promise<Outcome<Rules>> {
  const guard = await readGuardrails(ctx)
  if (!guard.ok) return guard
  return killSwitchRefusal(guard.value) ?? accept(guard.value.rules)
}
