/** PUT /locations/{id}/prices: within the cap at once, above it when the owner said yes to exactly this change. */
import type { PriceChangeRequest } from '../../contract/pricing.ts'
import type { Namespace } from '../../kernel/ids.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Outcome, Refusal } from '../../kernel/outcome.ts'
import type { MachineVendor } from '../../vendors/contract.ts'
import { openDecision, withdrawDecision } from '../approvals/records.ts'
import type { DecisionId } from '../approvals/records.ts'
import { recordEvent } from '../events/records.ts'
import type { Floor } from '../floor.ts'
import type { Rules } from '../guard/rules.ts'
import { findLocation } from '../locations/records.ts'
import type { Applied } from './apply.ts'
import { against, asked, fingerprintOf, overCap, stillFits } from './change.ts'
import type { AskedPrice, PriceLine } from './change.ts'
import { execute, EXECUTING_MS, tellBasis } from './execute.ts'
import { atMachine, pricingVendor, reach } from './machine.ts'
import { bindDecision, findChange, insertChange, moveChange, openAsking, subjectIdOf } from './records.ts'
import type { PriceChange } from './records.ts'
import { asReasoning, asSummary, tellLines, tellOverCap } from './wording.ts'

export type ChangeResult =
  | { readonly kind: 'asked'; readonly decision: DecisionId }
  | { readonly kind: 'applied'; readonly lines: readonly PriceLine[]; readonly applied: Applied }

interface Attempt {
  readonly location: string
  readonly namespace: Namespace
  readonly prices: readonly AskedPrice[]
  readonly fingerprint: string
  readonly vendor: MachineVendor
}

type Asking = Pick<PriceChange, 'location' | 'namespace' | 'fingerprint' | 'lines'>

export async function changePrices(
  floor: Floor,
  location: string,
  request: PriceChangeRequest,
): Promise<Outcome<ChangeResult>> {
  const machine = await findLocation(floor.store.db, location)
  if (!machine) return refuse('not_found', 'no such machine is registered')
  const { namespace } = machine
  const prices = asked(request, namespace, floor.vendors)
  if (!prices.ok) return prices
  const vendor = pricingVendor(floor, namespace)
  if (!vendor.ok) return vendor

  const fingerprint = fingerprintOf(location, prices.value)
  const attempt = { location, namespace, prices: prices.value, fingerprint, vendor: vendor.value }
  const outcome = await atMachine(floor, location, () => judge(floor, attempt))
  if (!outcome.ok) await tellRefused(floor, location, outcome.refusal)
  return outcome
}

async function judge(floor: Floor, attempt: Attempt): Promise<Outcome<ChangeResult>> {
  const { location, namespace, fingerprint, vendor } = attempt
  const reached = await reach(floor, location, vendor)
  if (!reached.ok) return reached
  const { rules, slots } = reached.value
  const held = against(attempt.prices, slots)
  if (!held.ok) return held
  const lines = held.value

  const over = overCap(rules, lines)
  const earlier = await openAsking(floor.store.db, fingerprint)
  const fits = earlier !== undefined && stillFits(rules, earlier.lines, lines)
  if (earlier?.status === 'waiting' && earlier.decision !== undefined) {
    if (fits && over.length > 0) return accept({ kind: 'asked', decision: earlier.decision })
    const why = fits ? 'The change is within the cap by now.' : 'The prices on the machine moved since it was asked.'
    // Lost to the owner, who decided this very moment: then the decision counts.
    if (!(await withdraw(floor, earlier, earlier.decision, why))) return judge(floor, attempt)
  } else if (earlier) {
    if (fits) return carryOut(floor, vendor, await claim(floor, earlier), lines)
    await moveChange(floor.store.db, earlier.seq, ['approved', 'executing', 'failed'], { status: 'closed' })
  }

  const asking = { location, namespace, fingerprint, lines }
  if (over.length > 0) return accept({ kind: 'asked', decision: await ask(floor, asking, rules, over) })
  return carryOut(floor, vendor, await intend(floor, asking), lines)
}

async function carryOut(
  floor: Floor,
  vendor: MachineVendor,
  change: PriceChange | undefined,
  lines: readonly PriceLine[],
): Promise<Outcome<ChangeResult>> {
  // Only a lease that ran out under us leads here; whoever has it now does the work.
  if (!change) return refuse('upstream_unreachable', 'this change is being carried out elsewhere')
  return accept({ kind: 'applied', lines, applied: await execute(floor, vendor, change, lines, tellBasis(change)) })
}

/** The intent is on disk before the machine is called. */
const intend = ({ store, clock }: Floor, asking: Asking): Promise<PriceChange> =>
  insertChange(store.db, {
    ...asking,
    status: 'executing',
    at: clock.now(),
    dueAt: clock.now() + EXECUTING_MS,
  })

/** Takes up what was approved, also when an earlier try failed or broke off; undefined when somebody else just did. */
export async function claim({ store, clock }: Floor, change: PriceChange): Promise<PriceChange | undefined> {
  const claimed = await moveChange(store.db, change.seq, ['approved', 'executing', 'failed'], {
    status: 'executing',
    attempt: true,
    dueAt: clock.now() + EXECUTING_MS,
  })
  return claimed ? findChange(store.db, change.seq) : undefined
}

function ask(floor: Floor, asking: Asking, rules: Rules, over: readonly PriceLine[]): Promise<DecisionId> {
  const at = floor.clock.now()
  const summary = asSummary(`Change prices on ${asking.location}: ${tellLines(asking.lines)}`)
  const reasoning = asReasoning(tellOverCap(rules, over))
  return floor.store.transaction(async (tx) => {
    const { seq } = await insertChange(tx, { ...asking, status: 'waiting', at, dueAt: at })
    const subject = { type: 'price_change', id: subjectIdOf(seq) } as const
    const decision = await openDecision(floor, tx, { kind: 'price_change', summary, reasoning, subject })
    await bindDecision(tx, seq, decision)
    await recordEvent(floor, tx, {
      kind: 'price_change',
      summary: asSummary(`Price change on ${asking.location} waits for ${decision}: ${tellLines(asking.lines)}`),
      reasoning,
      location: asking.location,
    })
    return decision
  })
}

/** False when the decision was taken meanwhile. */
export const withdraw = (floor: Floor, change: PriceChange, decision: DecisionId, why: string): Promise<boolean> =>
  floor.store.transaction(async (tx) => {
    if (!(await withdrawDecision(floor, tx, decision, why))) return false
    await moveChange(tx, change.seq, ['waiting'], { status: 'closed' })
    return true
  })

const tellRefused = (floor: Floor, location: string, { messages }: Refusal) =>
  floor.store.transaction((tx) =>
    recordEvent(floor, tx, {
      kind: 'price_change',
      summary: `Price change on ${location} refused: ${messages[0]?.code ?? 'internal'}`,
      reasoning: asReasoning(messages.map(({ content }) => content).join(' ')),
      location,
    }),
  )
