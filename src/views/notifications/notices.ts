/**
 * What people are notified of, each kind one record: whether it may wait until the morning, its page, and how it is found. Its
 * sentences are in src/texts.
 *
 * Finders look in what is committed: pending approvals, events, sessions, machines, purchases. Nothing is
 * lost when the service stops in between, because the next look finds it again, and nothing is said twice, because each
 * notice has a key.
 */
import { formatAmount } from '../../kernel/currency.ts'
import { addDays, DAY, HOUR, localDay, MINUTE, rfc3339 } from '../../kernel/clock.ts'
import type { TextParams } from '../../kernel/message.ts'
import { withId } from '../../kernel/text.ts'
import { type Decision, listDecisions } from '../../rules/approvals/index.ts'
import { findSessions, listSessions, loadSpendingTotals } from '../../acts/checkout/index.ts'
import { statedLeadDays } from '../../vendors/registry.ts'
import type { Context } from '../../context.ts'
import { listLatestEvents } from '../../record/events/index.ts'
import { type WINDOW_MS, readGuardrails, spendingLimits, usedOf } from '../../rules/guardrails/index.ts'
import { findCashDifferences, listLocations, listOpenFaults } from '../../route/locations/index.ts'
import { listOverduePurchases } from '../../acts/orders/index.ts'
import { computePlan } from '../../acts/replenishment/index.ts'
import { getDailySales } from '../../route/sales/index.ts'
import { type Shift, type Step, listEndedSince, listSteps, OPERATOR_NAME, readable } from '../operator/index.ts'
import { getProfit } from '../profit/index.ts'

export const NOTICE_KINDS = [
  'approval_waiting',
  'approval_expiring',
  'outcome_unknown',
  'above_agreed',
  'invoice_differs',
  'stop',
  'rules_unreadable',
  'rules_changed',
  'settings_changed',
  'machine_silent',
  'fault_reported',
  'sync_failing',
  'delivery_overdue',
  'budget',
  'cash_difference',
  'summary',
  'profit_report',
  'shift_report',
  'pick_list',
] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

export interface SummaryData {
  readonly day: string
  readonly units: number
  readonly revenue: string
  /** The most missed first. */
  readonly empty: readonly {
    readonly machine: string
    readonly sku: string
    readonly title: string
    readonly perDay: number
  }[]
  readonly emptyCount: number
  readonly waiting: number
}

/** A week beside the week before; amounts are written out. */
export interface ProfitData {
  readonly from: string
  readonly to: string
  readonly lines: readonly {
    readonly name: 'revenue' | 'gross' | 'costs' | 'commission' | 'profit'
    readonly now: string
    readonly before: string
  }[]
  readonly marginPercent: number | null
  /** Undefined: all costs are known. */
  readonly knownPercent?: number
  /** The machines that earned least, the worst first. */
  readonly worst: readonly { readonly machine: string; readonly profit: string; readonly before: string }[]
}

/** A shift of the operator, in codes and values. */
export interface ShiftData {
  readonly id: string
  readonly status: Shift['status']
  readonly figures: Shift['figures']
  readonly steps: readonly Pick<Step, 'code' | 'params'>[]
  /** What the owner has to decide. */
  readonly waiting: readonly { readonly summary: string; readonly asked: AskedApproval }[]
}

/** What an approval is about, in codes and values, for every language. */
export interface AskedApproval {
  readonly subject: { readonly type: string; readonly id: string }
  readonly params?: TextParams
  /** Every rule that asks. */
  readonly rules: readonly { readonly code: string; readonly params: TextParams }[]
}

/** The values in the sentences of a notice; times are RFC 3339. */
export interface NoticeData {
  /** The approval that it is about; with it a chat shows buttons. */
  readonly approval?: string
  readonly asked?: AskedApproval
  readonly summary?: string
  readonly reason?: string
  readonly subject?: string
  readonly by?: string
  readonly engaged?: boolean
  /** The stop is one of the rules file, which names nobody. */
  readonly byFile?: boolean
  readonly at?: string
  /** Of a purchase: what the supplier asks, and what was agreed. */
  readonly charged?: string
  readonly agreed?: string
  /** The machine of a fault. */
  readonly machine?: string
  /** Of a collection of cash. */
  readonly collected?: string
  readonly expected?: string
  readonly difference?: string
  readonly bag?: string
  /** Of a budget. */
  readonly window?: keyof typeof WINDOW_MS
  readonly report?: SummaryData
  readonly profit?: ProfitData
  readonly shift?: ShiftData
  /** What the driver takes along. */
  readonly van?: { readonly units: number; readonly machines: number; readonly list: string }
}

export interface Notice {
  readonly kind: NoticeKind
  /** The same thing is said once: the key is unique in a channel. */
  readonly key: string
  readonly occurredAt: number
  readonly data: NoticeData
}

const DECISIONS_MAX = 500
const ROWS_MAX = 200
const EVENTS_MAX = 50
/** Older events are history for a channel that is new. */
const EVENTS_BACK_MS = DAY
const EXPIRING_MS = 2 * HOUR
const UNKNOWN_MS = 5 * MINUTE
const SILENT_MS = 6 * HOUR
const SYNC_FAILURES = 3
/** Beyond the stated lead time. */
const OVERDUE_DAYS = 1
const EMPTY_LISTED = 5
/** Share of a limit per day or week from which people are notified. */
const BUDGET_SHARE = 0.8

const listPendingDecisions = ({ store }: Pick<Context, 'store'>): Promise<Decision[]> =>
  listDecisions(store.db, { status: 'pending', kind: undefined, after: undefined, limit: DECISIONS_MAX })

type Finder = (ctx: Context) => Promise<readonly Notice[]>

interface NoticeRecord {
  /** Sent in quiet hours, too: money may be at stake before the morning. */
  readonly isUrgent?: true
  /** Looked for every few seconds: somebody waits for it, or must know at once. */
  readonly isPrompt?: true
  /** The page of the console that it is about. */
  readonly page: string | ((data: NoticeData) => string)
  /** Absent: composed for each channel at its own time. */
  readonly find?: Finder
}

const askedOf = ({ subject, code, params, evidence }: Decision): AskedApproval => ({
  subject,
  ...(params === undefined ? {} : { params }),
  rules:
    evidence?.map((rule) => ({ code: rule.code, params: rule.params })) ??
    (code ? [{ code, params: params ?? {} }] : []),
})

const approvalWaiting = (decision: Decision): Notice => ({
  kind: 'approval_waiting',
  key: decision.id,
  occurredAt: decision.at,
  data: {
    approval: decision.id,
    summary: decision.summary,
    reason: decision.reasoning,
    asked: askedOf(decision),
  },
})

/** A checkout lapses after 24 hours, and its approval with it. */
async function findExpiringApprovals(ctx: Context): Promise<readonly Notice[]> {
  const { store, clock, config } = ctx
  const bySession = new Map(
    (await listPendingDecisions(ctx))
      .filter(({ subject }) => subject.type === 'checkout')
      .map((decision) => [decision.subject.id, decision]),
  )
  if (bySession.size === 0) return []
  const now = clock.now()
  return (await findSessions(store.db, [...bySession.keys()])).flatMap((session): Notice[] => {
    const decision = bySession.get(session.id)
    const left = session.expiresAt - now
    if (!decision || left > EXPIRING_MS || left <= 0) return []
    const { id, summary } = decision
    const at = rfc3339(session.expiresAt, config.timeZone)
    const data = { approval: id, summary, at, asked: askedOf(decision) }
    return [{ kind: 'approval_expiring', key: `expiring ${id}`, occurredAt: now, data }]
  })
}

async function findUnknownOutcomes({ store, clock, config }: Context): Promise<readonly Notice[]> {
  const sessions = await listSessions(store.db, {
    status: 'complete_in_progress',
    vendor: undefined,
    before: undefined,
    limit: ROWS_MAX,
  })
  return sessions.flatMap(({ id, outcomeUnknown }): Notice[] => {
    if (!outcomeUnknown || clock.now() - outcomeUnknown.since < UNKNOWN_MS) return []
    const { since, text } = outcomeUnknown
    const data = { subject: id, at: rfc3339(since, config.timeZone), reason: text }
    return [{ kind: 'outcome_unknown', key: `unknown ${id} ${since}`, occurredAt: since, data }]
  })
}

/** The confirmed total differs from the agreed one. */
async function findChargesAboveAgreed({ store, clock }: Context): Promise<readonly Notice[]> {
  const events = await listLatestEvents(store.db, { kind: 'checkout', limit: ROWS_MAX })
  return events.toReversed().flatMap(({ seq, code, params, reasoning, storedAt, source }): Notice[] => {
    if (code !== 'purchase_above_agreed' || source !== 'service' || clock.now() - storedAt > EVENTS_BACK_MS) return []
    const amount = (name: string) => {
      const value = params?.[name]
      return typeof value === 'object' ? formatAmount(value.amount, value.currency) : '?'
    }
    const subject = typeof params?.['checkout'] === 'string' ? params['checkout'] : '?'
    const data = { subject, charged: amount('charged'), agreed: amount('agreed'), reason: reasoning }
    return [{ kind: 'above_agreed', key: `event ${seq}`, occurredAt: storedAt, data }]
  })
}

/** An invoice differs from the order or the receipt. */
async function findInvoiceDifferences({ store, clock }: Context): Promise<readonly Notice[]> {
  const events = await listLatestEvents(store.db, { kind: 'order', limit: ROWS_MAX })
  return events.toReversed().flatMap(({ seq, code, params, reasoning, storedAt, source }): Notice[] => {
    if (code !== 'invoice_differs' || source !== 'service' || clock.now() - storedAt > EVENTS_BACK_MS) return []
    const { purchase, difference } = params ?? {}
    const data = {
      subject: typeof purchase === 'string' ? purchase : '?',
      difference: typeof difference === 'object' ? formatAmount(difference.amount, difference.currency) : '?',
      reason: reasoning,
    }
    return [{ kind: 'invoice_differs', key: `event ${seq}`, occurredAt: storedAt, data }]
  })
}

const STOP_EVENTS: Readonly<Record<string, Pick<NoticeData, 'engaged' | 'byFile'>>> = {
  emergency_stop_engaged: { engaged: true },
  emergency_stop_released: { engaged: false },
  rules_file_stop_engaged: { engaged: true, byFile: true },
  rules_file_stop_released: { engaged: false, byFile: true },
}

async function findStopChanges({ store, clock }: Context): Promise<readonly Notice[]> {
  const events = await listLatestEvents(store.db, { kind: 'guardrail', limit: EVENTS_MAX })
  return events.toReversed().flatMap(({ seq, code, params, reasoning, storedAt, source }): Notice[] => {
    const stop = STOP_EVENTS[code ?? '']
    if (!stop || source !== 'service' || clock.now() - storedAt > EVENTS_BACK_MS) return []
    const by = typeof params?.['by'] === 'string' ? params['by'] : '?'
    const data = { ...stop, ...(stop.byFile ? {} : { by, reason: reasoning }) }
    return [{ kind: 'stop', key: `event ${seq}`, occurredAt: storedAt, data }]
  })
}

/** What an owner changed, told to all: those who did not do it should know. */
const findOwnerChanges =
  (kind: 'rules_changed' | 'settings_changed', member: 'rules' | 'settings'): Finder =>
  async ({ store, clock }) => {
    const events = await listLatestEvents(store.db, { kind: 'guardrail', limit: EVENTS_MAX })
    return events.toReversed().flatMap(({ seq, code, params, storedAt, source }): Notice[] => {
      if (code !== kind || source !== 'service' || clock.now() - storedAt > EVENTS_BACK_MS) return []
      const text = (name: string) => (typeof params?.[name] === 'string' ? params[name] : '?')
      const data = { by: text('by'), summary: text(member) }
      return [{ kind, key: `event ${seq}`, occurredAt: storedAt, data }]
    })
  }

/** Once a day while it lasts. */
async function findUnreadableRules(ctx: Context): Promise<readonly Notice[]> {
  if ((await readGuardrails(ctx)).ok) return []
  const now = ctx.clock.now()
  return [{ kind: 'rules_unreadable', key: `rules ${localDay(now, ctx.config.timeZone)}`, occurredAt: now, data: {} }]
}

async function findSilentMachines({ store, clock, config }: Context): Promise<readonly Notice[]> {
  const now = clock.now()
  return (await listLocations(store.db)).flatMap(({ id, name, lastSyncedAt }): Notice[] => {
    if (lastSyncedAt === undefined || now - lastSyncedAt < SILENT_MS) return []
    const data = { subject: withId(name, id), at: rfc3339(lastSyncedAt, config.timeZone) }
    return [{ kind: 'machine_silent', key: `silent ${id} ${lastSyncedAt}`, occurredAt: now, data }]
  })
}

async function findReportedFaults({ store, clock, config }: Context): Promise<readonly Notice[]> {
  const faults = (await listOpenFaults(store.db, ROWS_MAX)).filter(
    ({ bookedAt }) => clock.now() - bookedAt <= EVENTS_BACK_MS,
  )
  if (faults.length === 0) return []
  const names = new Map((await listLocations(store.db)).map(({ id, name }) => [id as string, name]))
  return faults.map(({ id, location, fault = '', at, bookedAt, by }) => ({
    kind: 'fault_reported',
    key: id,
    occurredAt: bookedAt,
    data: {
      subject: withId(names.get(location), location),
      machine: location,
      summary: fault,
      at: rfc3339(at, config.timeZone),
      ...(by === undefined ? {} : { by: by.name }),
    },
  }))
}

/** Said once for a row of failures: the key is the first of them. */
async function findFailingSyncs({ store, clock }: Context): Promise<readonly Notice[]> {
  const events = (await listLatestEvents(store.db, { kind: 'sync', limit: EVENTS_MAX })).filter(
    ({ code, source }) => source === 'service' && (code === 'sync_failed' || code === 'sync_completed'),
  )
  const lastGood = events.findIndex(({ code }) => code === 'sync_completed')
  const failed = lastGood === -1 ? events : events.slice(0, lastGood)
  const [latest] = failed
  if (!latest || failed.length < SYNC_FAILURES) return []
  const key = `sync ${events[lastGood]?.seq ?? localDay(latest.storedAt, 'UTC')}`
  const data = { reason: `${latest.summary}\n${latest.reasoning}` }
  return [{ kind: 'sync_failing', key, occurredAt: clock.now(), data }]
}

async function findOverdueDeliveries({ store, clock, config, vendors }: Context): Promise<readonly Notice[]> {
  const before = clock.now() - (statedLeadDays(vendors, config.statedLeadDays) + OVERDUE_DAYS) * DAY
  return (await listOverduePurchases(store.db, { before, now: clock.now(), limit: ROWS_MAX })).map(
    ({ id, placedAt }) => ({
      kind: 'delivery_overdue',
      key: `overdue ${id}`,
      occurredAt: clock.now(),
      data: { subject: id, at: rfc3339(placedAt, config.timeZone) },
    }),
  )
}

async function findCollectedDifferences(ctx: Context): Promise<readonly Notice[]> {
  const found = await findCashDifferences(ctx)
  if (found.length === 0) return []
  const names = new Map((await listLocations(ctx.store.db)).map(({ id, name }) => [id as string, name]))
  const money = (amount: number) => formatAmount(amount, ctx.config.currency)
  return found.map(({ id, location, at, amount, expected, difference, bag, by }) => ({
    kind: 'cash_difference',
    key: `cash ${id}`,
    occurredAt: ctx.clock.now(),
    data: {
      subject: withId(names.get(location), location),
      at: rfc3339(at, ctx.config.timeZone),
      collected: money(amount),
      expected: money(expected),
      difference: money(difference),
      ...(bag === undefined ? {} : { bag }),
      ...(by === undefined ? {} : { by: by.name }),
    },
  }))
}

/** The summary of yesterday. */
export const composeMorningSummary = async (ctx: Context, key: string): Promise<Notice> => ({
  kind: 'summary',
  key,
  occurredAt: ctx.clock.now(),
  data: { report: await loadSummary(ctx) },
})

async function loadSummary(ctx: Context): Promise<SummaryData> {
  const { store, clock, config } = ctx
  const day = addDays(localDay(clock.now(), config.timeZone), -1)
  const { days } = await getDailySales(ctx, { from: day, to: day })
  const { plan, input } = await computePlan(ctx)
  const names = new Map((await listLocations(store.db)).map(({ id, name }) => [id as string, withId(name, id)]))
  const empty = plan.plans
    .filter(({ stock }) => stock === 0)
    .toSorted((a, b) => b.demand.dailyRate - a.demand.dailyRate)
  return {
    day,
    units: days[0]?.units ?? 0,
    revenue: formatAmount(days[0]?.revenue ?? 0, config.currency),
    emptyCount: empty.length,
    empty: empty.slice(0, EMPTY_LISTED).map(({ location, slotId, sku, demand }) => ({
      machine: names.get(location) ?? location,
      sku,
      title: input.slots.get(slotId)?.title ?? sku,
      perDay: Math.round(demand.dailyRate * 10) / 10,
    })),
    waiting: (await listPendingDecisions(ctx)).length,
  }
}

const WORST_LISTED = 3

/** The last full week, from Monday to Sunday. */
export async function composeProfitReport(ctx: Context, key: string, monday: string): Promise<Notice | undefined> {
  const { config } = ctx
  const query = { from: addDays(monday, -7), to: addDays(monday, -1), compare: 'previous' as const }
  const report = await getProfit(ctx, { ...query, by: 'location', sort: 'profit', limit: WORST_LISTED })
  if (!report.ok) return undefined
  const { totals, rows, period } = report.value.body
  const { previous } = totals
  // A route that has not begun has nothing to report.
  if (!previous || (totals.revenue === 0 && previous.revenue === 0)) return undefined
  const amount = (fen: number) => formatAmount(fen, config.currency)
  const line = (
    name: ProfitData['lines'][number]['name'],
    of: (figures: NonNullable<typeof totals.previous>) => number,
  ) => ({
    name,
    now: amount(of(totals)),
    before: amount(of(previous)),
  })
  const data: ProfitData = {
    ...period,
    lines: [
      line('revenue', ({ revenue }) => revenue),
      line('gross', ({ gross_profit }) => gross_profit),
      line('costs', ({ losses, visit_cost }) => losses + visit_cost),
      line('commission', ({ commission }) => commission),
      line('profit', ({ profit }) => profit),
    ],
    marginPercent: totals.margin_percent,
    ...(totals.cost_known_percent < 100 ? { knownPercent: totals.cost_known_percent } : {}),
    worst: rows.flatMap(({ key: { location, title }, profit, previous: before }) =>
      location === undefined || !before
        ? []
        : [{ machine: withId(title, location), profit: amount(profit), before: amount(before.profit) }],
    ),
  }
  return { kind: 'profit_report', key, occurredAt: ctx.clock.now(), data: { profit: data } }
}

const STEPS_TOLD = 20
const WAITING_TOLD = 5
const NOT_TOLD: ReadonlySet<string> = new Set(['looked', 'model_replied'])

/** Every wake-up is told, and every other shift that did something or ended early. */
async function findEndedShifts({ store, clock }: Context): Promise<readonly Notice[]> {
  const notices: Notice[] = []
  const waiting = (await listPendingDecisions({ store }))
    .filter(({ by }) => by?.name === OPERATOR_NAME)
    .map((decision) => ({ summary: decision.summary, asked: askedOf(decision) }))
  for (const shift of await listEndedSince(store.db, clock.now() - EVENTS_BACK_MS)) {
    const { id, trigger, status, figures, endedAt = 0 } = shift
    const isTold =
      trigger === 'wake_up' ||
      trigger === 'reminder' ||
      status === 'stopped' ||
      status === 'failed' ||
      hasActed(figures)
    if (!isTold) continue
    const steps = readable(await listSteps(store.db, id)).filter(({ code }) => !NOT_TOLD.has(code))
    const told = steps.slice(0, STEPS_TOLD).map(({ code, params }) => ({ code, params }))
    const data = { shift: { id, status, figures, steps: told, waiting: waiting.slice(0, WAITING_TOLD) } }
    notices.push({ kind: 'shift_report', key: `shift ${id}`, occurredAt: endedAt, data })
  }
  return notices
}

/** For the driver, once for each run: it has no amounts. */
async function findPickLists({ store, clock }: Context): Promise<readonly Notice[]> {
  const notices: Notice[] = []
  for (const { id, endedAt = 0 } of await listEndedSince(store.db, clock.now() - EVENTS_BACK_MS))
    for (const { code, params } of await listSteps(store.db, id)) {
      const { run, units, machines, list } = params
      if (code !== 'pick_list' || typeof run !== 'string' || typeof list !== 'string' || list === '') continue
      const data = { subject: run, van: { units: Number(units), machines: Number(machines), list } }
      notices.push({ kind: 'pick_list', key: `pick list ${run}`, occurredAt: endedAt, data })
    }
  return notices
}

const hasActed = (figures: Shift['figures']): boolean =>
  figures !== undefined && figures.bought + figures.asked + figures.refused > 0

/** `HH:MM`. */
export const localTime = (now: number, timeZone: string): string => rfc3339(now, timeZone).slice(11, 16)

/** Once a day for each limit. */
async function findNearlyUsedBudgets(ctx: Context): Promise<readonly Notice[]> {
  const guardrails = await readGuardrails(ctx)
  if (!guardrails.ok) return []
  const { rules } = guardrails.value
  const now = ctx.clock.now()
  const spent = await loadSpendingTotals(ctx.store.db, rules, now)
  const day = localDay(now, ctx.config.timeZone)
  return spendingLimits(rules).flatMap((limit): Notice[] => {
    const { rule, limitFen, supplier, key, window } = limit
    const { usedFen } = usedOf(limit, spent)
    if (window === 'run' || usedFen === 0 || usedFen < BUDGET_SHARE * limitFen) return []
    const whose = [supplier, key].filter((name) => name !== undefined).join(', ')
    const summary = `${formatAmount(usedFen, rules.currency)} / ${formatAmount(limitFen, rules.currency)}${whose && ` (${whose})`}`
    const data = { summary, window }
    return [{ kind: 'budget', key: `budget ${rule} ${whose} ${window} ${day}`, occurredAt: now, data }]
  })
}

const approvalPage = ({ approval }: NoticeData): string =>
  approval === undefined ? '/approvals' : `/approvals/${encodeURIComponent(approval)}`
const purchasePage = ({ subject = '' }: NoticeData): string => `/purchases/${encodeURIComponent(subject)}`

type Found = Exclude<NoticeKind, 'summary' | 'profit_report'>

export const NOTICES: Readonly<Record<Found, Required<Pick<NoticeRecord, 'find'>> & NoticeRecord>> &
  Readonly<Record<NoticeKind, NoticeRecord>> = {
  approval_waiting: {
    isPrompt: true,
    page: approvalPage,
    find: async (ctx) => (await listPendingDecisions(ctx)).map(approvalWaiting),
  },
  approval_expiring: { isUrgent: true, page: approvalPage, find: findExpiringApprovals },
  outcome_unknown: { isUrgent: true, page: purchasePage, find: findUnknownOutcomes },
  above_agreed: { page: purchasePage, find: findChargesAboveAgreed },
  invoice_differs: { page: purchasePage, find: findInvoiceDifferences },
  stop: { isUrgent: true, isPrompt: true, page: '/guardrails', find: findStopChanges },
  rules_unreadable: { isUrgent: true, isPrompt: true, page: '/guardrails', find: findUnreadableRules },
  rules_changed: {
    isUrgent: true,
    isPrompt: true,
    page: '/guardrails',
    find: findOwnerChanges('rules_changed', 'rules'),
  },
  settings_changed: {
    isUrgent: true,
    isPrompt: true,
    page: '/settings',
    find: findOwnerChanges('settings_changed', 'settings'),
  },
  machine_silent: { page: '/', find: findSilentMachines },
  fault_reported: {
    page: ({ machine = '' }) => `/machines/${encodeURIComponent(machine)}`,
    find: findReportedFaults,
  },
  sync_failing: { page: '/connections', find: findFailingSyncs },
  delivery_overdue: { page: purchasePage, find: findOverdueDeliveries },
  budget: { page: '/guardrails', find: findNearlyUsedBudgets },
  cash_difference: { page: '/cash', find: findCollectedDifferences },
  summary: { page: '/' },
  profit_report: { page: '/profit' },
  shift_report: { page: ({ shift }) => `/activity/${encodeURIComponent(shift?.id ?? '')}`, find: findEndedShifts },
  pick_list: { page: ({ subject = '' }) => `/runs/${encodeURIComponent(subject)}/pick-list`, find: findPickLists },
}

export const URGENT_KINDS: readonly NoticeKind[] = NOTICE_KINDS.filter((kind) => NOTICES[kind].isUrgent)

export function pageOf(kind: NoticeKind, data: NoticeData): string {
  const { page } = NOTICES[kind]
  return typeof page === 'string' ? page : page(data)
}
