/** The route at a glance: what needs somebody first. */
import type { Command } from '../command.ts'
import { count, when, yuan } from '../format.ts'
import { serviceUrl } from '../connect.ts'
import { taken } from '../lookups.ts'

const WAITING_MAX = 100
const MACHINES_MAX = 1000
const EVENTS_SHOWN = 5

export const STATUS: Command = {
  name: 'status',
  group: 'Look',
  summary: 'the route at a glance: what needs you',
  examples: [
    ['vendops status', 'emergency stop, decisions, machines, the latest events'],
    ['vendops status --json | jq -e ".emergency_stop.engaged | not"', 'in a script: may anything be bought?'],
  ],
  async run(context) {
    const { client, style } = context
    const [guardrails, namespaces, approvals, machines, runs, events] = await Promise.all([
      client.getGuardrails(),
      client.listNamespaces(),
      taken(client.all.listApprovals({ query: { limit: 100 } }), WAITING_MAX),
      taken(client.all.searchLocations({ body: { pagination: { limit: 100 } } }), MACHINES_MAX),
      taken(client.all.listRuns({ query: { status: 'placed' } }), WAITING_MAX),
      client.listEvents({ query: { limit: EVENTS_SHOWN } }),
    ])
    const { emergency_stop: stop, rules } = guardrails
    const offline = machines.found.filter(({ online }) => online === false)
    await context.data({
      url: serviceUrl(context.env, context.url),
      emergency_stop: stop,
      rules,
      probation_active: guardrails.probation_active,
      namespaces: namespaces.namespaces,
      approvals_waiting: approvals.found.length,
      machines: machines.found.length,
      machines_offline: offline.map(({ id }) => id),
      runs_under_way: runs.found.length,
      events: events.events,
    })
    const more = (n: number, cut: boolean) => `${n}${cut ? '+' : ''}`
    await context.fields([
      ['service', serviceUrl(context.env, context.url)],
      ['vendors', namespaces.namespaces.map(({ namespace, status }) => `${namespace} (${status})`).join(', ')],
      [
        'emergency stop',
        stop.engaged ? `ON since ${when(stop.since) ?? 'the file says so'}: ${stop.reason ?? ''}` : 'off',
      ],
      [
        'spending limit',
        `${yuan(rules.spendingLimitPerRun)} a run${guardrails.probation_active ? ', on probation' : ''}`,
      ],
      ['price cap', `${yuan(rules.priceCapPerItem)} an item`],
      ['decisions waiting', more(approvals.found.length, approvals.more)],
      ['runs under way', more(runs.found.length, runs.more)],
      [
        'machines',
        `${more(machines.found.length, machines.more)}${offline.length > 0 ? `, ${offline.length} silent` : ''}`,
      ],
    ])
    if (events.events.length > 0)
      await context.say([
        '',
        ...events.events.map(({ occurred_at, summary }) => `${style.dim(when(occurred_at) ?? '')}  ${summary}`),
      ])
    if (stop.engaged) context.next('release', 'on the host, once the reason is gone')
    else if (approvals.found.length > 0)
      context.next('approvals', `${count(approvals.found.length, 'decision')} to take`)
    else if (machines.found.length === 0) context.next('machines add <id> --name <name>', 'registers the first machine')
    else context.next('plan', 'what to order now')
  },
}
