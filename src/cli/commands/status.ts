/** An overview of the route: what needs attention first. */
import { VendopsError } from '../../client/index.ts'
import type { PlanEntry } from '../../contract/shapes/replenishment.ts'
import { stockState } from '../../kernel/stock-state.ts'
import type { EmergencyStop, GuardrailRules, Guardrails, LimitUsage } from '../../contract/shapes/guardrails.ts'
import type { Command } from '../command.ts'
import { formatTime } from '../format.ts'
import { formatAmount } from '../../kernel/currency.ts'
import { count } from '../../kernel/text.ts'
import { serviceUrl } from '../connect.ts'
import { collect } from '../lookups.ts'
import { plainText } from '../width.ts'

const WAITING_MAX = 100
const MACHINES_MAX = 1000
const EVENTS_SHOWN = 5
const EMPTY_SHOWN = 5

/** Nothing where the rules do not state it. */
const optionalRule =
  (
    name: 'priceDriftPerWeek' | 'minimumMarginPercent' | 'maxUnitPrice' | 'maxQuantityPerLine',
    describe: (value: number, currency: string) => string,
  ) =>
  ({ rules: { [name]: value }, currency }: Guardrails): string | undefined =>
    value === undefined ? undefined : describe(value, currency)

/** How each rule is shown. A rule of the contract that is missing here does not compile. */
const RULE_FIELDS: Readonly<
  Record<keyof GuardrailRules, readonly [string, (answer: Guardrails) => string | undefined] | 'hidden'>
> = {
  spendingLimitPerRun: [
    'spending limit',
    ({ rules, probation_active, currency }) =>
      `${formatAmount(rules.spendingLimitPerRun, currency)} per purchase${probation_active ? ', trial period' : ''}`,
  ],
  priceCapPerItem: ['price cap', ({ rules, currency }) => `${formatAmount(rules.priceCapPerItem, currency)} per item`],
  hardNoGos: 'hidden',
  // Part of the emergency stop.
  killSwitchEngaged: 'hidden',
  // With what is used of them, below.
  spendingLimitPerDay: 'hidden',
  spendingLimitPerWeek: 'hidden',
  spendingLimitBySupplier: 'hidden',
  spendingLimitByKey: 'hidden',
  priceDriftPerWeek: [
    'price drift',
    optionalRule('priceDriftPerWeek', (amount, currency) => `${formatAmount(amount, currency)} per week`),
  ],
  minimumMarginPercent: [
    'minimum margin',
    optionalRule('minimumMarginPercent', (percent) => `${percent}% of the cost`),
  ],
  maxUnitPrice: ['maximum unit price', optionalRule('maxUnitPrice', formatAmount)],
  maxQuantityPerLine: ['maximum quantity', optionalRule('maxQuantityPerLine', (quantity) => `${quantity} per line`)],
  ownersMayApproveTheirOwn: 'hidden',
  autonomy: [
    'autonomy',
    ({ rules: { autonomy } }) =>
      Object.values(autonomy).every((level) => level === 'off')
        ? undefined
        : Object.entries(autonomy)
            .map(([area, level]) => `${area} ${level}`)
            .join(', '),
  ],
  // Of what the layouts propose.
  newProducts: 'hidden',
  layoutChangesPerVisit: 'hidden',
}

const ruleFields = (answer: Guardrails | undefined) => [
  ...Object.values(RULE_FIELDS).flatMap((field) =>
    field === 'hidden' ? [] : [[field[0], answer && field[1](answer)] as const],
  ),
  ...(answer?.limits ?? [])
    .filter(({ window }) => window !== 'run')
    .map((limit) => usageField(limit, answer!.currency)),
]

/** What is spent of a limit per day or week, and when the oldest part of it is free again. */
function usageField({ limit, used, window, supplier, key, frees_at }: LimitUsage, currency: string) {
  const whose = supplier === undefined ? (key === undefined ? '' : ` by ${key}`) : ` from ${supplier}`
  const frees = frees_at === undefined ? '' : `, less from ${formatTime(frees_at)}`
  return [
    `spent in a ${window}${whose}`,
    `${formatAmount(used, currency)} of ${formatAmount(limit, currency)}${frees}`,
  ] as const
}

/** As in the console: what an operator keeps empty is left out, the largest loss comes first. */
function slotsIn(state: 'empty' | 'low', plans: readonly PlanEntry[]): PlanEntry[] {
  const isKept = ({ recommendation: { action } }: PlanEntry) => action === 'locked' || action === 'phase_out'
  return plans
    .filter((entry) => stockState(entry.stock, entry.days_of_cover) === state && !isKept(entry))
    .toSorted((a, b) => lostPerDay(b) - lostPerDay(a))
}

const lostPerDay = ({ demand, price }: PlanEntry): number => Math.round(demand.daily_rate * (price?.amount ?? 0))

function describeSlots(slots: readonly PlanEntry[] | undefined): string | undefined {
  if (slots === undefined) return undefined
  if (slots.length === 0) return 'none'
  return `${count(slots.length, 'slot')} in ${count(new Set(slots.map(({ location }) => location)).size, 'machine')}`
}

const loss = (amount: number, currency: string | undefined): string =>
  amount > 0 && currency !== undefined ? `, losing ${formatAmount(amount, currency)} a day` : ''

function describeEmpty(slots: readonly PlanEntry[] | undefined): string | undefined {
  const total = (slots ?? []).reduce((sum, entry) => sum + lostPerDay(entry), 0)
  return slots && `${describeSlots(slots)}${loss(total, slots[0]?.price?.currency)}`
}

export const STATUS: Command = {
  name: 'status',
  summary: 'overview of the route: what needs your attention',
  examples: [
    ['vendops status', 'emergency stop, approvals, empty slots, machines, latest events'],
    ['vendops status --json | jq -e ".emergency_stop.engaged | not"', 'in a script: are purchases allowed?'],
  ],
  async run(context) {
    const { client, style } = context
    const [me, guardrails, namespaces, approvals, machines, runs, events, plan] = await Promise.all([
      attempt(client.getMe()),
      attempt(client.getGuardrails()),
      attempt(client.listNamespaces()),
      attempt(collect(client.all.listApprovals({ query: { limit: 100 } }), WAITING_MAX)),
      attempt(collect(client.all.searchLocations({ body: { pagination: { limit: 100 } } }), MACHINES_MAX)),
      attempt(collect(client.all.listRuns({ query: { status: 'placed', limit: 100 } }), WAITING_MAX)),
      attempt(client.listEvents({ query: { limit: EVENTS_SHOWN } })),
      attempt(client.getPlan()),
    ])
    const url = serviceUrl(context.env, context)
    const latest = events.value?.events ?? []
    const offline = machines.value?.found.filter(({ online }) => online === false) ?? []
    const empty = plan.value && slotsIn('empty', plan.value.plans)
    const low = plan.value && slotsIn('low', plan.value.plans)
    const pending = approvals.value?.found.length ?? 0
    const stop = guardrails.value?.emergency_stop
    await context.writeJson({
      url,
      environment: me.value?.environment,
      currency: guardrails.value?.currency,
      emergency_stop: stop,
      rules: guardrails.value?.rules,
      limits: guardrails.value?.limits,
      probation_active: guardrails.value?.probation_active,
      namespaces: namespaces.value?.namespaces,
      approvals_waiting: approvals.value?.found.length,
      machines: machines.value?.found.length,
      machines_silent: offline.map(({ id }) => id),
      runs_under_way: runs.value?.found.length,
      slots_empty: empty?.map(({ slot_id }) => slot_id),
      slots_low: low?.map(({ slot_id }) => slot_id),
      events: latest,
    })
    const environment = me.value?.environment
    // `live` of a namespace says that an adapter serves it; in staging that adapter talks to a simulated vendor.
    const stateOf = (status: string) => (status === 'live' && environment === 'staging' ? 'simulated' : status)
    const vendors = namespaces.value?.namespaces
      .map(({ namespace, status }) => `${namespace} (${stateOf(status)})`)
      .join(', ')
    await context.writeFields([
      ['service', url],
      ['environment', environment === 'staging' ? 'staging: simulated vendors, nothing is bought' : environment],
      ['vendors', vendors],
      ['emergency stop', stop && describeStop(stop)],
      ...ruleFields(guardrails.value),
      ['pending approvals', describeCount(approvals.value)],
      ['runs on the way', describeCount(runs.value)],
      [
        'machines',
        machines.value &&
          `${describeCount(machines.value)}${offline.length > 0 ? `, ${offline.length} not reporting` : ''}`,
      ],
      ['empty now', describeEmpty(empty)],
      ['running out', describeSlots(low)],
    ])
    const names = new Map((machines.value?.found ?? []).map(({ id, name }) => [id, name]))
    const shown = (empty ?? []).slice(0, EMPTY_SHOWN)
    if (shown.length > 0)
      await context.writeLines([
        '',
        ...shown.map((entry) =>
          plainText(
            `${entry.slot_id}  ${entry.item.title}, ${names.get(entry.location) ?? entry.location}${loss(lostPerDay(entry), entry.price?.currency)}`,
          ),
        ),
        ...((empty?.length ?? 0) > shown.length ? [style.dim(`and ${(empty?.length ?? 0) - shown.length} more`)] : []),
      ])
    if (latest.length > 0)
      await context.writeLines([
        '',
        ...latest.map(
          ({ occurred_at, summary }) => `${style.dim(formatTime(occurred_at) ?? '')}  ${plainText(summary)}`,
        ),
      ])
    if (stop?.engaged) context.suggest('release', 'on the server, once the reason is resolved')
    else if (pending > 0) context.suggest('approvals', `lists ${count(pending, 'pending approval')}`)
    else if (machines.value?.found.length === 0)
      context.suggest('machines add <id> --name <name>', 'registers the first machine')
    else context.suggest('plan', 'shows what to order now')

    const [problem] = [me, guardrails, namespaces, approvals, machines, runs, events, plan].flatMap(
      ({ error }) => error ?? [],
    )
    // Everything that could be read is shown; the first failure decides the exit code.
    if (problem) throw problem
  },
}

/** Lets one part fail while the others are shown, except when the service is unreachable or refuses the token. */
async function attempt<T>(work: Promise<T>): Promise<{ readonly value?: T; readonly error?: VendopsError }> {
  try {
    return { value: await work }
  } catch (error) {
    if (error instanceof VendopsError && !error.isUnanswered && error.status !== 401) return { error }
    throw error
  }
}

const describeStop = ({ engaged, since, reason }: EmergencyStop): string =>
  engaged ? `ON since ${formatTime(since) ?? 'it was set in the rules file'}${reason ? `: ${reason}` : ''}` : 'off'

const describeCount = (
  some: { readonly found: readonly unknown[]; readonly hasMore: boolean } | undefined,
): string | undefined => some && `${some.found.length}${some.hasMore ? '+' : ''}`
