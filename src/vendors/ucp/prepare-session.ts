/**
 * Opens a session at the merchant and brings it to the point where it could be bought: our lines, our destination, and an
 * option of delivery. It buys nothing, so a failure here is never unclear about money.
 */
import type { Failure, Result } from '../contract.ts'
import { failForCertain, succeed } from '../result.ts'
import type { Fields } from '../upstream/read-json.ts'
import { type Merchant, failBeforeBuying } from './merchant.ts'
import type { MerchantProfile } from './merchant-profile.ts'
import { type MerchantSession, type SessionGroup, type SessionMethod, readSession } from './merchant-session.ts'
import { failureOfErrors } from './refusals.ts'
import { type WantedLine, type WantedSession, createBody, hasOurDestination, updateBody } from './session-request.ts'

/** Destination, option, and once more where choosing an option changed the groups. */
const UPDATES_MAX = 3
const FULFILLMENT = 'dev.ucp.shopping.fulfillment'

const NO_ADDRESS = failForCertain(
  'The merchant accepts no delivery address, so the destination cannot be set',
  'fulfillment',
)

export interface Preparing {
  readonly merchant: Merchant
  /** The idempotency key of a step. */
  readonly key: (step: string) => string
  /** The id or title of the delivery option; absent: the cheapest. */
  readonly delivery: string | undefined
  /** The merchant delivers to the address of our account, so it need not take one. */
  readonly deliversToAccount: boolean
  /** Called with the id of the session as soon as it is known. */
  readonly opened?: (id: string) => void
}

export async function prepareSession(preparing: Preparing, asked: WantedSession): Promise<Result<MerchantSession>> {
  const { merchant, key } = preparing
  const profile = await merchant.profile()
  if (!profile.ok) return failBeforeBuying(profile)
  const { destination, ...rest } = asked
  // A merchant without deliveries would refuse the member, or read it as something else.
  const takesAddress = profile.value.capabilities.has(FULFILLMENT)
  if (destination && !takesAddress && !preparing.deliversToAccount) return NO_ADDRESS
  const wanted = takesAddress && destination ? { ...rest, destination } : rest
  const created = await merchant.call(
    { operation: 'create', body: createBody(wanted, profile.value), key: key('create') },
    (payload) => succeed(readSession(payload)),
  )
  if (!created.ok) return failBeforeBuying(created)
  preparing.opened?.(created.value.id)
  const chosen = await chooseFulfillment(preparing, created.value, wanted, profile.value)
  if (!chosen.ok) return failBeforeBuying(chosen)
  return findProblem(chosen.value, wanted) ?? findDeliveryProblem(chosen.value, wanted, preparing.delivery) ?? chosen
}

async function chooseFulfillment(
  { merchant, key, delivery }: Preparing,
  created: MerchantSession,
  wanted: WantedSession,
  profile: MerchantProfile,
): Promise<Result<MerchantSession>> {
  let session = created
  for (let n = 1; n <= UPDATES_MAX; n += 1) {
    const options = optionsToSelect(session, wanted, delivery)
    if (!options) return succeed(session)
    const body: Fields = updateBody(session, wanted, profile, options)
    const updated = await merchant.call(
      { operation: 'update', id: session.id, body, key: key(n === 1 ? 'update' : `update-${n}`) },
      (payload) => succeed(readSession(payload)),
    )
    if (!updated.ok) return updated
    session = updated.value
  }
  return succeed(session)
}

const shippingOf = ({ methods }: MerchantSession): SessionMethod | undefined =>
  methods.find(({ type }) => type === 'shipping')

/** Option ids by group; empty: only the destination is missing; undefined: nothing is left to choose. */
function optionsToSelect(
  session: MerchantSession,
  { destination }: WantedSession,
  delivery: string | undefined,
): ReadonlyMap<number, string> | undefined {
  if (!destination || session.status === 'canceled' || session.status === 'completed') return undefined
  const method = shippingOf(session)
  if (!method || !hasOurDestination(method, destination)) return new Map()
  const best = method.groups.map((group) => bestOption(group, delivery))
  if (method.groups.every(({ selectedOptionId }, i) => best[i] === undefined || best[i] === selectedOptionId))
    return undefined
  return new Map(best.flatMap((id, i) => (id === undefined ? [] : [[i, id] as const])))
}

function bestOption({ options }: SessionGroup, delivery: string | undefined): string | undefined {
  const offered =
    delivery === undefined ? options : options.filter(({ id, title }) => id === delivery || title === delivery)
  const [cheapest] = offered.toSorted((one, other) => one.price - other.price)
  return cheapest?.id
}

/** Why this session is not what was asked for. */
function findProblem(session: MerchantSession, wanted: WantedSession): Failure | undefined {
  const { status, errors, continueUrl } = session
  if (status === 'canceled') return failForCertain('The merchant canceled the session', status)
  const needsBuyer = continueUrl !== undefined && errors.length > 0 && errors.every((error) => error.needsBuyer)
  if (status === 'incomplete' && errors.length > 0 && !needsBuyer)
    return { ...failureOfErrors(errors), documented: true }
  if (session.currency !== wanted.currency)
    return failForCertain(`The merchant sells in ${session.currency}`, 'currency')
  if (!hasLines(session, wanted.lines))
    return failForCertain('The merchant changed the lines of the order', 'line_items')
  if (!session.totals) return failForCertain('The totals of the merchant do not add up', 'totals')
  const method = shippingOf(session)
  if (wanted.destination && !(method && hasOurDestination(method, wanted.destination)))
    return failForCertain('The merchant does not deliver to this address', 'destination')
  return undefined
}

/** The option of the settings is chosen in every group; another one may cost or take more. */
function findDeliveryProblem(
  session: MerchantSession,
  { destination }: WantedSession,
  delivery: string | undefined,
): Failure | undefined {
  if (!destination || delivery === undefined) return undefined
  const groups = shippingOf(session)?.groups ?? []
  const isChosen = ({ options, selectedOptionId }: SessionGroup): boolean =>
    options.some(({ id, title }) => id === selectedOptionId && (id === delivery || title === delivery))
  if (groups.length > 0 && groups.every(isChosen)) return undefined
  const titles = new Set(groups.flatMap(({ options }) => options.map(({ id, title }) => title || id)))
  const offered = [...titles].slice(0, 10).join(', ') || 'nothing to choose from'
  return failForCertain(`The merchant does not offer the delivery "${delivery}" here; it offers ${offered}`, 'delivery')
}

/** Exactly these: the same items, units and quantities. */
function hasLines({ lines }: Pick<MerchantSession, 'lines'>, wanted: readonly WantedLine[]): boolean {
  const sums = new Map<string, number>()
  const add = (itemId: string, unit: string | undefined, quantity: number) => {
    const key = JSON.stringify([itemId, unit ?? null])
    sums.set(key, (sums.get(key) ?? 0) + quantity)
  }
  for (const { itemId, unit, quantity } of lines) add(itemId, unit, quantity)
  for (const { itemId, unit, quantity } of wanted) add(itemId, unit?.unit, -quantity)
  return [...sums.values()].every((left) => left === 0)
}
