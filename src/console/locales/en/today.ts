/** Texts of the page Today, with sales and activity. */
import type { Overview } from '../../../contract/shapes/overview.ts'
import { plural } from '../../lib/plural.ts'

export const todayEn = {
  sales: {
    title: (n: number) => `Sales, last ${n} days`,
    summary: (revenue: string, units: string) => `${revenue} · ${units} units`,
    label: (n: number) => `Daily revenue, last ${n} days`,
    revenue: 'Revenue',
    none: 'No sales in this period',
  },
  feed: {
    title: 'Activity',
    note: 'Live, newest first',
    empty: 'No activity yet.',
    more: (n: number) => `Show ${n} more`,
    less: 'Show fewer',
    external: 'External',
    addedBy: (author: string | undefined) => `Added by ${author ?? 'another program'}, not by this service`,
    repeated: (text: string, n: number) => `${text} (${n} times)`,
  },
  today: {
    lead: 'What needs your attention, and how the route is doing.',
    unknown: 'Not available right now',
    pending: 'Approvals pending',
    oldest: 'Oldest',
    runningOut: 'Empty or low',
    runningOutNote: (empty: number, soon: number, coming: number, unknown: number) =>
      [
        empty + soon > 0
          ? `${empty} empty, ${soon} out within 24 h`
          : coming + unknown > 0
            ? 'No others are running low'
            : 'No slots are running low',
        ...(coming > 0 ? [`${coming} on the way`] : []),
        ...(unknown > 0 ? [`${unknown} never counted`] : []),
      ].join(', '),
    stockUnknown: 'Unknown',
    neverCounted: (slots: number) => `${plural(slots, 'slot')} never counted`,
    toCount: (slots: number, machines: number) =>
      `${plural(slots, 'slot')} in ${plural(machines, 'machine')} ${slots === 1 ? 'was' : 'were'} never counted: count them`,
    count: (slots: number) => `Count ${plural(slots, 'slot')}`,
    notPlanned: 'nothing planned',
    noSpendingLimit: 'No limit per day or week: purchases below the limit of one add up without an end',
    noDriftLimit: 'No price drift limit: small price changes add up without an end',
    onlySteps: 'Only the first steps above are open.',
    notReporting: 'Not reporting',
    allOnline: (n: number) => (n === 0 ? 'No machines yet' : `All ${n} online`),
    someOnline: (online: number, unknown: number) => `${online} online, ${unknown} without a status`,
    noneKnown: (n: number) => `No status from ${plural(n, 'machine')}`,
    spent: (n: number) => `Spent in ${n} days`,
    simulated: (total: string, n: number) => `simulated, not spent: ${total} in ${n === 1 ? '1 run' : `${n} runs`}`,
    purchases: (n: number) => plural(n, 'purchase'),
    largest: (total: string, limit: string) => `Largest order ${total} (limit ${limit})`,
    needsAttention: 'Needs attention',
    groups: {
      uncounted: 'Never counted',
      rules: 'Rules',
      connections: 'Failing connections',
      approvals: 'Approvals',
      unclear: 'Purchases without an answer',
      toPay: 'Purchases to pay at the supplier',
      toOrder: 'Purchases to order',
      toPlace: 'Runs to order',
      overdue: 'Deliveries overdue',
      toReceive: 'Ordered, not received',
      empty: 'Empty now',
      low: 'Running out',
      coming: 'Empty or low, on the way',
      unlinked: 'Products without a supplier',
      machines: 'Machines not reporting',
    },
    left: (n: number) => `${n} left`,
    losing: (amount: string) => `Losing ${amount} a day`,
    expires: (when: string) => `Expires ${when}`,
    incomplete: 'Not complete',
    awaitingSupplier: 'Waiting for the supplier',
    toPay: 'Pay',
    toReceive: 'Receive',
    toPlace: 'Order',
    placed: (when: string) => `Ordered ${when}`,
    unusedReplies: 'has answers that can’t be used',
    rulesUnreadable: 'The rules can’t be read: purchases and price changes are blocked',
    fix: 'Fix',
    all: (n: number) => `Show all ${n}`,
    setup: {
      title: 'Getting started',
      lead: (done: number, all: number) => `${done} of ${all} steps done`,
      done: 'Done',
      open: 'To do',
      steps: {
        connection: ['Connect your machines and a supplier', 'On the server: npx vendops connect'],
        rules: ['Set the rules', 'Spending limit, price cap and blocked products in the rules file (GUARDRAILS_FILE)'],
        owner: ['Say who may approve', 'npx vendops people add NAME --role owner, or administrators in the rules file'],
        machines: ['Add your machines', 'With the IDs used by your machine platform'],
        destination: [
          'Set the delivery address',
          'DEFAULT_DESTINATION: street, name and phone of whoever receives deliveries',
        ],
        sync: ['Read the machines once', 'Stock and sales of the last 30 days'],
      } as Readonly<Record<Overview['setup'][number]['step'], readonly [title: string, how: string]>>,
    },
    nothing: 'Nothing needs your attention right now.',
    planNext: (slots: number, machines: number) =>
      `Review the plan: ${plural(slots, 'slot')} in ${plural(machines, 'machine')}`,
  },
}
