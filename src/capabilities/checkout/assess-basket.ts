/** A basket held against the supplier's catalog and the rules of the moment: once for a request, again before buying. */
import type { FulfillmentMethodUpdateRequest } from '../../contract/checkout.ts'
import { PROBLEMS_MAX } from '../../contract/limits.ts'
import { error } from '../../kernel/message.ts'
import type { ErrorMessage, Message } from '../../kernel/message.ts'
import { refuseAll } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import type { SupplyCatalog } from '../../vendors/contract.ts'
import type { Rules } from '../guardrails/index.ts'
import { assess } from './assess.ts'
import type { Assessment, Identities } from './assess.ts'
import { planMethod, readMethods } from './fulfillment.ts'
import type { Planned } from './fulfillment.ts'
import { productsFor, repriceLines, priceRequested } from './lines.ts'
import type { ProductsBySku, PricedLines, RequestedLine } from './lines.ts'
import type { Line, Method, Session } from './session.ts'
import { pickupSlots } from './pickup-slots.ts'
import type { PickupHours } from './pickup-slots.ts'

/** The world as it is read for one assessment. */
export interface AssessmentInput {
  readonly catalog: SupplyCatalog
  readonly identities: Identities
  readonly rules: Rules
  readonly now: number
  readonly timeZone: string
  readonly pickupHours: PickupHours
}

export interface BasketAssessment extends Assessment {
  readonly lines: readonly Line[]
  readonly methods: readonly Method[]
  readonly unavailableLines: readonly Message[]
}

/** What a request brings; what it leaves out stays as the session has it. */
export interface Change {
  readonly wanted?: readonly RequestedLine[]
  readonly methods?: readonly FulfillmentMethodUpdateRequest[]
}

type AssessedSession = Pick<
  Session,
  'vendor' | 'lines' | 'methods' | 'unavailableLines' | 'approvedOrderHash' | 'approvedTotalFen'
>

/**
 * A selection that is not on offer leaves an existing session as it was: `unknown` says what to tell. On creation there
 * is nothing to keep, and the message blocks.
 */
export type ChangeAssessment = { readonly unknown: readonly ErrorMessage[] } | { readonly assessment: BasketAssessment }

export function assessChange(
  current: AssessedSession,
  change: Change,
  input: AssessmentInput,
  isNew: boolean,
): Outcome<ChangeAssessment> {
  const products = productsFor(input.catalog, change.wanted ?? current.lines)
  const priced = change.wanted ? priceRequested(change.wanted, products) : ok(repriceLines(current.lines, products))
  if (!priced.ok) return priced
  const { lines, unavailable } = priced.value
  if (lines.length === 0) return refuseAll(unavailable.slice(0, PROBLEMS_MAX), { status: 200 })

  // A line left out because it is not for sale was named in good faith.
  const named = (change.wanted ?? lines).map(({ id }) => id)
  const merged = change.methods ? readMethods(change.methods, current.methods, named) : undefined
  if (merged && !merged.ok) return merged
  const planned = plan(merged?.value.map(({ method }) => method) ?? current.methods, lines, input)
  const unknown = planned.flatMap((one) => one.unknown)
  const isRequested = ({ path }: ErrorMessage) => merged?.value.some(({ selects }) => selects.has(path ?? '')) ?? false
  const refused = unknown.filter(isRequested)
  if (!isNew && refused.length > 0) return ok({ unknown: refused })
  const lost = unknown.map((message) => (isRequested(message) ? message : chooseAgain(message)))
  const blocking = [...(change.wanted ? [] : unavailable), ...planned.flatMap(({ missing }) => missing), ...lost]
  return ok({
    assessment: finish(
      current,
      lines,
      planned,
      blocking,
      products,
      input,
      change.wanted ? unavailable.slice(0, PROBLEMS_MAX) : current.unavailableLines,
    ),
  })
}

/** The same basket with the prices, the stock and the rules of now. */
export function reassessBasket(current: AssessedSession, input: AssessmentInput): BasketAssessment {
  const products = productsFor(input.catalog, current.lines)
  const { lines, unavailable }: PricedLines = repriceLines(current.lines, products)
  const planned = plan(current.methods, lines, input)
  const blocking = [
    ...unavailable,
    ...planned.flatMap(({ missing, unknown }) => [...missing, ...unknown.map(chooseAgain)]),
  ]
  return finish(current, lines, planned, blocking, products, input, current.unavailableLines)
}

const ok = <T>(value: T): Outcome<T> => ({ ok: true, value })

/** A site that closed or an hour that passed: the caller did nothing wrong and has to choose again. */
const chooseAgain = ({ path }: ErrorMessage): ErrorMessage =>
  error('missing', 'what was chosen is no longer on offer; choose again', path)

const plan = (wishes: readonly Method[], lines: readonly Line[], input: AssessmentInput): readonly Planned[] =>
  wishes.map((wish) =>
    planMethod(wish, {
      lineIds: lines.map(({ id }) => id),
      sites: input.catalog.sites,
      slots: pickupSlots(input.now, input.timeZone, input.pickupHours),
    }),
  )

function finish(
  current: AssessedSession,
  lines: readonly Line[],
  planned: readonly Planned[],
  blocking: readonly ErrorMessage[],
  products: ProductsBySku,
  { identities, rules, now }: AssessmentInput,
  unavailableLines: readonly Message[],
): BasketAssessment {
  const methods = planned.map(({ method }) => method)
  const basket = { vendor: current.vendor, lines, methods, blocking, dropped: unavailableLines }
  return { lines, methods, unavailableLines, ...assess(basket, products, identities, rules, now, current) }
}
