/** The work of a shift: look, restock, follow up; trials are in trials.ts. Each part reads, decides (decide.ts) and acts. */
import { statedLeadDays } from '../../vendors/registry.ts'
import { addDays, DAY, localDay, MINUTE, startOfDay } from '../../kernel/clock.ts'
import { money } from '../../kernel/currency.ts'
import type { TextParams } from '../../kernel/message.ts'
import type { Autonomy } from '../../contract/shapes/guardrails.ts'
import { listLocations } from '../../route/locations/index.ts'
import type { CallReply } from './caller.ts'
import {
  type DueTrip,
  type OpenPurchase,
  type OwnRun,
  type PlannedRun,
  asksAboutUnlinked,
  decidePurchase,
  decideRestock,
  mayOrder,
  slotsOfUnknown,
} from './decide.ts'
import { type ShiftCaller, type DescribeReply, type StepResult, firstMessage } from './shift-caller.ts'
import { lastStepAt, listAskedRuns, listReportedRuns, readState } from './records.ts'
import { type Step, type StepRequest, knownQuestion, OPERATOR_NAME } from './shift.ts'
import { nextWake } from './wake.ts'

type Json = CallReply['body']

const LIST = { limit: '100' }
/** Runs of longer ago are somebody's to look at. */
export const OWN_RUNS_MS = 14 * DAY
/** Of purchases: beyond the stated lead time. */
const OVERDUE_DAYS = 1
const NAMED_MAX = 5
/** Since machines were last read. */
const FRESH_MS = 30 * MINUTE
const VAN_LINES = 60
/** A purchase waits at most a day; older runs are under way. */
const PICK_LIST_MS = 3 * DAY

const totalOf = (body: Json): TextParams => {
  const total = (body?.totals ?? []).find(({ type }: Json) => type === 'total')
  return total === undefined ? {} : { total: money(total.amount, body.currency) }
}
const isOk = ({ status }: CallReply): boolean => status < 300
const reasonOf = (reply: CallReply): TextParams => ({
  reason: firstMessage(reply).content,
  code: firstMessage(reply).code,
})
const skusOf = (checkout: Json): string[] => (checkout.line_items ?? []).map(({ item }: Json) => item.id)

/** What each reply means. The same for a reply that an earlier process did not live to read. */
export const DESCRIBE_REPLY: Readonly<Record<string, DescribeReply>> = {
  createRun: ({ status, body }, _request, begun): StepResult => {
    const reply = { status, body }
    if (!isOk(reply)) return { code: 'run_refused', outcome: 'refused', params: { ...begun, ...reasonOf(reply) } }
    const reference = { type: 'replenishment_run', id: body.id } as const
    const params = { ...begun, run: body.id, ...totalOf(body) }
    if (body.status === 'pending_approval')
      return { code: 'run_asked', outcome: 'asked', params: { ...params, ...ruleOf(body) }, reference }
    if (body.status === 'approved') return { code: 'run_created', outcome: 'done', params, reference }
    return { code: 'run_nothing', outcome: 'noted', params: begun }
  },
  placeRun: (reply, { params: { id: run = '' } = {} }): StepResult => {
    const reference = { type: 'replenishment_run', id: run } as const
    if (isOk(reply)) return { code: 'run_placed', outcome: 'done', params: { run }, reference }
    if (firstMessage(reply).code === 'approval_required')
      return { code: 'run_waits', outcome: 'asked', params: { run }, reference }
    // It was placed by somebody else, or by a process that died.
    if (firstMessage(reply).code === 'already_placed')
      return { code: 'run_placed', outcome: 'noted', params: { run }, reference }
    return { code: 'run_not_placed', outcome: 'refused', params: { run, ...reasonOf(reply) }, reference }
  },
  completeCheckout: (reply, { params: { id: purchase = '' } = {} }, { supplier = '?' }): StepResult => {
    const reference = { type: 'checkout', id: purchase } as const
    const { status } = reply.body ?? {}
    const params = { purchase, supplier }
    if (isOk(reply) && status === 'completed')
      return { code: 'purchase_bought', outcome: 'done', params: { ...params, ...totalOf(reply.body) }, reference }
    if (isOk(reply) && status === 'requires_escalation')
      return { code: 'purchase_waits', outcome: 'asked', params, reference }
    if (isOk(reply) && status === 'complete_in_progress')
      return { code: 'purchase_unknown', outcome: 'unknown', params, reference }
    const [first] = reply.body?.messages ?? []
    if (first?.code === 'upstream_unreachable' && first.params?.may_exist !== false)
      return { code: 'purchase_unknown', outcome: 'unknown', params, reference }
    return { code: 'purchase_refused', outcome: 'refused', params: { ...params, ...reasonOf(reply) }, reference }
  },
  cancelRun: (reply, { params: { id: run = '' } = {} }): StepResult =>
    isOk(reply)
      ? { code: 'run_dropped', outcome: 'done', params: { run } }
      : { code: 'run_not_placed', outcome: 'refused', params: { run, ...reasonOf(reply) } },
  updateCheckout: (reply, { params: { id: purchase = '' } = {} }, { count = 0 }): StepResult =>
    isOk(reply)
      ? { code: 'purchase_trimmed', outcome: 'done', params: { purchase, count } }
      : { code: 'purchase_refused', outcome: 'refused', params: { purchase, ...reasonOf(reply) } },
  cancelCheckout: (reply, { params: { id: purchase = '' } = {} }): StepResult =>
    isOk(reply)
      ? { code: 'purchase_dropped', outcome: 'done', params: { purchase } }
      : { code: 'purchase_refused', outcome: 'refused', params: { purchase, ...reasonOf(reply) } },
  askOwner: (reply, _request, begun): StepResult =>
    isOk(reply)
      ? {
          code: 'step' in begun ? 'trial_asked' : 'unlinked_asked',
          outcome: 'asked',
          params: begun,
          reference: { type: 'approval', id: reply.body.id },
        }
      : { code: 'failed', outcome: 'refused', params: reasonOf(reply) },
  startExperiment: (reply, _request, begun): StepResult =>
    isOk(reply)
      ? { code: 'trial_started', outcome: 'done', params: begun }
      : { code: 'trial_refused', outcome: 'refused', params: { ...begun, ...reasonOf(reply) } },
  acceptSwap: (reply, _request, begun): StepResult =>
    isOk(reply)
      ? reply.body.swap.status === 'pending'
        ? { code: 'swap_asked', outcome: 'asked', params: begun }
        : { code: 'swap_started', outcome: 'done', params: begun }
      : { code: 'swap_refused', outcome: 'refused', params: { ...begun, ...reasonOf(reply) } },
}

const ruleOf = (run: Json): TextParams => {
  const needed = (run.messages ?? []).find(({ code }: Json) => code === 'approval_required')
  const rule = needed?.params?.rule
  return rule === undefined || rule === 'ask' ? {} : { rule: needed.content }
}

export async function readUnknown({ read }: ShiftCaller): Promise<readonly OpenPurchase[]> {
  const { checkouts } = await read({ operation: 'listCheckouts', query: { status: 'complete_in_progress', ...LIST } })
  return checkouts.map(purchaseOf)
}

export const purchaseOf = (checkout: Json): OpenPurchase => ({
  id: checkout.id,
  vendor: checkout.vendor,
  status: checkout.status,
  skus: skusOf(checkout),
  isHandoff: (checkout.messages ?? []).some(({ code }: Json) => code === 'handoff'),
})

/** Before anything is decided. What fails there, the connections tell. */
async function readMachines({ ctx, shift, tryRead }: ShiftCaller): Promise<void> {
  const readAt = (await listLocations(ctx.store.db)).map(({ lastSyncedAt }) => lastSyncedAt ?? 0)
  const isOld = readAt.length > 0 && ctx.clock.now() - Math.max(...readAt) >= FRESH_MS
  if (isOld && !shift.isDryRun) await tryRead({ operation: 'syncLocations' })
}

export async function look(caller: ShiftCaller): Promise<void> {
  await readMachines(caller)
  const [{ connections }, { approvals }] = [
    await caller.read({ operation: 'listConnections' }),
    await caller.read({ operation: 'listApprovals' }),
  ]
  const unknown = await readUnknown(caller)
  await caller.note('look', {
    code: 'looked',
    params: {
      failing: connections.filter(({ state }: Json) => state === 'failing').length,
      unknown: unknown.filter(({ isHandoff }) => !isHandoff).length,
      pending: approvals.length,
    },
  })
}

export async function readRuns(caller: ShiftCaller, status: string): Promise<Json[]> {
  const runs: Json[] = []
  let cursor: string | undefined
  const since = caller.ctx.clock.now() - OWN_RUNS_MS
  do {
    const page = await caller.read({
      operation: 'listRuns',
      query: { status, ...LIST, ...(cursor === undefined ? {} : { cursor }) },
    })
    runs.push(...page.runs)
    cursor = page.pagination?.cursor
    // Newest first, but for those that wait.
    if (status !== 'pending_approval' && Date.parse(runs.at(-1)?.created_at ?? '') < since) break
  } while (cursor !== undefined)
  return runs.filter(({ by, created_at: at }) => by?.name === OPERATOR_NAME && Date.parse(at) >= since)
}

export async function restock(caller: ShiftCaller, { restock: level }: Autonomy): Promise<void> {
  const { ctx } = caller
  if (level === 'off') return void (await caller.note('restock', { code: 'restock_off', params: {} }))
  const { timeZone, currency } = ctx.config
  const today = localDay(ctx.clock.now(), timeZone)
  const asked = await listAskedRuns(ctx.store.db, ctx.clock.now() - OWN_RUNS_MS)
  const toOwn = (run: Json): OwnRun => ({
    id: run.id,
    status: run.status,
    isAsked: asked.has(run.id),
    locations: [...new Set<string>(run.line_items.map(({ location }: Json) => location))],
    createdOn: localDay(Date.parse(run.created_at), timeZone),
  })
  const runs: OwnRun[] = []
  for (const status of ['pending_approval', 'approved', 'rejected'])
    runs.push(...(await readRuns(caller, status)).map(toOwn))
  const { trips: coming, waiting } = await caller.read({ operation: 'getTrips' })
  const trips = coming
    .filter(({ firm }: Json) => firm)
    .map((trip: Json) => ({
      date: trip.date,
      area: trip.area,
      locations: trip.stops.flatMap(({ locations }: Json) => locations.map(({ location }: Json) => location)),
      waiting: trip.due_because.waiting,
    }))
  const isBetweenWakes = caller.shift.trigger === 'event'
  const placed = isBetweenWakes ? (await readRuns(caller, 'placed')).map(toOwn) : []
  const isHeld = isBetweenWakes && (await isBeforeWake(caller, today))
  const { place, create } = decideRestock({
    level,
    today,
    trips: isHeld ? [] : trips,
    runs: [...runs, ...placed],
    isBetweenWakes,
  })

  for (const run of place) await placeOrDrop(caller, run)
  // Each is ordered before the next is created, which then counts on what the store room still has.
  for (const planned of create) {
    const made = await createRun(caller, planned, currency)
    if (made.code !== 'run_created' || !made.reference) continue
    await placeOrDrop(caller, made.reference.id)
  }
  const held = isBetweenWakes && create.length === 0 ? countDue(trips, runs) : 0
  if (held > 0) await caller.note('trips', { code: 'trips_later', params: { machines: held } })
  else if (create.length === 0) {
    const days: readonly string[] = [
      ...coming.filter(({ firm }: Json) => !firm).map(({ date }: Json) => date),
      ...waiting.flatMap(({ next_due_on: day }: Json) => day ?? []),
    ]
    const date = days.reduce<string | undefined>(
      (first, day) => (first === undefined || day < first ? day : first),
      undefined,
    )
    await caller.note('trips', { code: 'no_trip', params: date === undefined ? {} : { date } })
  }
  if (caller.shift.isDryRun) return
  for (const run of await readRuns(caller, 'placed')) {
    if (!mayOrder(level, { isAsked: asked.has(run.id) })) continue
    for (const checkout of run.checkouts ?? []) await buy(caller, checkout)
  }
  await reportPickLists(caller)
}

/** Due machines for which no run waits. */
const countDue = (trips: readonly DueTrip[], runs: readonly OwnRun[]): number => {
  const taken = new Set(runs.flatMap(({ locations }) => locations))
  return trips.flatMap(({ locations }) => locations).filter((location) => !taken.has(location)).length
}

/** What happens at night waits for the morning: goods are planned on what was sold until then. */
async function isBeforeWake({ ctx: { store, clock, config } }: ShiftCaller, today: string): Promise<boolean> {
  const now = clock.now()
  const { wakeAt, weekdays } = await readState(store.db, now)
  const first = nextWake(
    { wakeAt, weekdays, pausedUntil: undefined },
    startOfDay(today, config.timeZone) - 1,
    config.timeZone,
  )
  return first !== undefined && first > now
}

/** One run for one trip, so that a trip above the limits holds nothing else up. */
async function createRun(caller: ShiftCaller, { locations, area, date, waiting, ask }: PlannedRun, currency: string) {
  const step = `run ${date} ${area} ${locations.length} ${locations[0]}`
  const unknown = await readUnknown(caller)
  const base = { locations: [...locations], ...(ask ? { ask } : {}) }
  const preview =
    unknown.length > 0 || caller.shift.isDryRun
      ? await caller.read({ operation: 'createRun', query: { dry_run: 'true' }, body: base })
      : undefined
  const left = slotsOfUnknown(
    (preview?.line_items ?? []).map(({ slot_id, source }: Json) => ({ slotId: slot_id, source: source?.sku_id })),
    unknown,
  )
  const body = left.length === 0 ? base : { ...base, lines: left.map((slot_id) => ({ slot_id, quantity: 0 })) }
  const params = { machines: locations.length, area, ...(waiting > 0 ? { waiting: money(waiting, currency) } : {}) }
  return caller.act({
    step,
    begun: 'run_create',
    params,
    request: { operation: 'createRun', body },
    would: {
      code: ask || preview?.status === 'pending_approval' ? 'run_asked' : 'run_created',
      outcome: 'would',
      params: { ...params, ...totalOf(preview) },
    },
  })
}

const placeRun = (caller: ShiftCaller, run: string) =>
  caller.act({
    step: `place ${run}`,
    begun: 'run_place',
    params: { run },
    request: { operation: 'placeRun', params: { id: run } },
    would: { code: 'run_placed', outcome: 'would', params: {}, reference: { type: 'replenishment_run', id: run } },
  })

/** A run of which nothing can be ordered any more would only keep its machines from the next one. */
async function placeOrDrop(caller: ShiftCaller, run: string): Promise<void> {
  const placed = await placeRun(caller, run)
  if (placed.code !== 'run_not_placed' || !hasCode(placed, UNPLACEABLE)) return
  await caller.act({
    step: `drop ${run}`,
    begun: 'run_drop',
    params: { run },
    request: { operation: 'cancelRun', params: { id: run } },
    would: { code: 'run_dropped', outcome: 'would', params: { run } },
  })
}

const UNPLACEABLE: ReadonlySet<string> = new Set(['not_placeable', 'unresolved_sku', 'item_unavailable', 'hard_no_go'])

/** A purchase of a run: completed, or left with the reason. */
async function buy(caller: ShiftCaller, { id, status }: Json): Promise<void> {
  if (status === 'completed' || status === 'canceled') return
  const purchase = { purchase: id }
  const reference = { type: 'checkout', id } as const
  // The second round buys what the first one changed.
  for (let round = 1; round <= 2; round++) {
    const checkout = await caller.read({ operation: 'getCheckout', params: { id } })
    const open = purchaseOf(checkout)
    const missing = missingLines(checkout)
    const move = decidePurchase({
      purchase: open,
      unknown: await readUnknown(caller),
      refusals: caller.journal.filter(
        ({ code, params }) => code === 'purchase_refused' && params['supplier'] === open.vendor,
      ).length,
      missing: missing.size,
      lines: checkout.line_items.length,
      isChanged: (checkout.messages ?? []).some(({ code }: Json) => code === 'item_unavailable'),
    })
    const act = (request: StepRequest, begun: 'purchase_complete' | 'purchase_trim' | 'purchase_drop', params = {}) =>
      caller.act({
        step: `${request.operation} ${id} ${round}`,
        begun,
        params: { ...purchase, ...params },
        request,
        would: { code: 'purchase_bought', outcome: 'would', params: {}, reference },
      })
    if (move.move === 'complete') {
      const body = { confirm: true }
      const done = await act({ operation: 'completeCheckout', params: { id }, body }, 'purchase_complete', {
        supplier: open.vendor,
      })
      // The supplier asks more than before, or has less: judged again by the rules, once.
      if (done.code === 'purchase_refused' && hasCode(done, RETRIED)) continue
      return
    }
    if (move.move === 'trim') {
      const line_items = checkout.line_items
        .filter((_: Json, i: number) => !missing.has(i))
        .map((line: Json) => ({
          id: line.id,
          item: { id: line.item.id },
          quantity: line.quantity,
          quantity_unit: { unit: line.quantity_unit.unit },
        }))
      await act({ operation: 'updateCheckout', params: { id }, body: { line_items } }, 'purchase_trim', {
        count: missing.size,
      })
      continue
    }
    if (move.move === 'cancel')
      return void (await act({ operation: 'cancelCheckout', params: { id } }, 'purchase_drop'))
    if (move.move === 'wait')
      await caller.note(`waits ${id}`, { code: 'purchase_waits', outcome: 'waiting', params: purchase, reference })
    if (move.move === 'hold')
      await caller.note(`hold ${id}`, {
        code: 'purchase_held',
        params: { ...purchase, ...(move.because === 'unknown' ? { other: move.other } : { supplier: open.vendor }) },
        reference,
      })
    return
  }
}

const hasCode = ({ params: { code } }: Pick<Step, 'params'>, codes: ReadonlySet<string>): boolean =>
  typeof code === 'string' && codes.has(code)

const RETRIED: ReadonlySet<string> = new Set(['price_changed', 'out_of_stock', 'item_unavailable'])

/** Positions of lines that the supplier does not have enough of. */
function missingLines(checkout: Json): ReadonlySet<number> {
  const missing = new Set<number>()
  for (const { code, path } of checkout.messages ?? []) {
    const index = /^\$\.line_items\[(\d+)\]/.exec(path ?? '')?.[1]
    if (code === 'out_of_stock' && index !== undefined) missing.add(Number(index))
  }
  return missing
}

/** Once for each run, when all its purchases have ended: from then on it is known what the driver will load. */
async function reportPickLists(caller: ShiftCaller): Promise<void> {
  const since = caller.ctx.clock.now() - PICK_LIST_MS
  const placed = (await readRuns(caller, 'placed')).filter(({ placed_at: at }) => Date.parse(at ?? '') >= since)
  const reported = await listReportedRuns(
    caller.ctx.store.db,
    placed.map(({ id }) => id),
  )
  for (const { id, checkouts = [] } of placed) {
    const isOpen = checkouts.some(({ status }: Json) => status !== 'completed' && status !== 'canceled')
    if (!isOpen && (!reported.has(id) || caller.ended(`pick list ${id}`))) await reportPickList(caller, id)
  }
}

/** What goes into the van, for a message. */
function vanList(products: readonly Json[]): string {
  const lines = products.filter(({ units }) => units > 0).map(({ units, item }) => `${units} × ${item.title}`)
  const more = lines.length - VAN_LINES
  return [...lines.slice(0, VAN_LINES), ...(more > 0 ? [`… +${more}`] : [])].join('\n')
}

async function reportPickList(caller: ShiftCaller, run: string): Promise<void> {
  const list = await caller.read({ operation: 'getPickList', params: { id: run } })
  await caller.note(`pick list ${run}`, {
    code: 'pick_list',
    params: { run, units: list.units, machines: list.stops.length, list: vanList(list.products) },
    reference: { type: 'replenishment_run', id: run },
  })
}

export async function followUp(caller: ShiftCaller): Promise<void> {
  const { ctx } = caller
  for (const { id, isHandoff } of await readUnknown(caller))
    if (isHandoff)
      await caller.note(`handoff ${id}`, {
        code: 'handoff',
        outcome: 'waiting',
        params: { purchase: id },
        reference: { type: 'checkout', id },
      })
  await reportOverdue(caller)
  await reportShort(caller)
  await reportExpiring(caller)
  const { unlinked_count: count, unlinked_products: products } = await caller.read({ operation: 'getOverview' })
  const askedAt = await lastStepAt(ctx.store.db, 'unlinked_asked')
  if (!asksAboutUnlinked(count, askedAt, ctx.clock.now()) && !caller.ended('unlinked')) return
  const named = products.slice(0, NAMED_MAX).map(({ title }: Json) => title)
  const more = count - named.length
  await caller.act({
    step: 'unlinked',
    begun: 'question_ask',
    params: { count },
    request: {
      operation: 'askOwner',
      body: {
        kind: 'note',
        ...knownQuestion('unlinked_products', { count, products: named.join(', '), ...(more > 0 ? { more } : {}) }),
      },
    },
    would: { code: 'unlinked_asked', outcome: 'would', params: { count } },
  })
}

/** What comes next, as far as it is known now. */
export async function reportTomorrow(caller: ShiftCaller): Promise<void> {
  const { ctx } = caller
  const today = localDay(ctx.clock.now(), ctx.config.timeZone)
  const { trips } = await caller.read({ operation: 'getTrips' })
  const [next] = trips
    .filter(({ date }: Json) => date > today)
    .toSorted((a: Json, b: Json) => (a.date < b.date ? -1 : 1))
  const { orders } = await caller.read({ operation: 'listOrders', query: { kind: 'purchase', ...LIST } })
  const deliveries = orders.filter(({ line_items: lines }: Json) =>
    lines.some(({ status }: Json) => status === 'processing'),
  ).length
  const machines = next?.stops.reduce((sum: number, { locations }: Json) => sum + locations.length, 0)
  await caller.note('tomorrow', {
    code: 'tomorrow',
    params: {
      ...(next === undefined ? {} : { date: next.date, machines }),
      ...(deliveries === 0 ? {} : { deliveries }),
    },
  })
}

async function reportOverdue(caller: ShiftCaller): Promise<void> {
  const { ctx } = caller
  const { orders } = await caller.read({ operation: 'listOrders', query: { kind: 'purchase', ...LIST } })
  const latest = addDays(
    localDay(ctx.clock.now(), ctx.config.timeZone),
    -Math.ceil(statedLeadDays(ctx.vendors, ctx.config.statedLeadDays) + OVERDUE_DAYS),
  )
  for (const { id, created_at: at, line_items: lines } of orders) {
    const isOpen = lines.some(({ status }: Json) => status === 'processing')
    const date = at === undefined ? undefined : localDay(Date.parse(at), ctx.config.timeZone)
    if (!isOpen || date === undefined || date >= latest) continue
    await caller.note(`overdue ${id}`, {
      code: 'overdue',
      params: { purchase: id, date },
      reference: { type: 'checkout', id },
    })
  }
}

/** Since yesterday; the plan counts on what the supplier confirmed, so the rest is ordered again by itself. */
async function reportShort(caller: ShiftCaller): Promise<void> {
  const { events } = await caller.read({ operation: 'listEvents', query: { kind: 'order', ...LIST } })
  const since = caller.ctx.clock.now() - DAY
  for (const { code, params, occurred_at: at } of events) {
    const id = params?.purchase
    if (code !== 'purchase_short' || typeof id !== 'string' || Date.parse(at) < since) continue
    await caller.note(`short ${id}`, { code: 'short', params: { purchase: id }, reference: { type: 'checkout', id } })
  }
}

async function reportExpiring(caller: ShiftCaller): Promise<void> {
  if (!caller.ctx.config.hasStoreroom) return
  const { messages = [] } = await caller.read({ operation: 'getStoreroom' })
  for (const { code, params } of messages)
    if (code === 'expires_soon' && params)
      await caller.note(`expiring ${params.product}`, {
        code: 'expiring',
        params: { product: params.product, units: params.units, date: params.date },
      })
}
