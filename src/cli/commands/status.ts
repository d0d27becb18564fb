/** The route at a glance: what needs somebody first. */
import { VendopsError } from '../../client/index.ts'
import type { EmergencyStop } from '../../contract/guardrails.ts'
import type { Command } from '../command.ts'
import { count, when, yuan } from '../format.ts'
import { serviceUrl } from '../connect.ts'
import { take } from '../lookups.ts'
import { plain } from '../width.ts'

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
      tried(client.getGuardrails()),
      tried(client.listNamespaces()),
      tried(take(client.all.listApprovals({ query: { limit: 100 } }), WAITING_MAX)),
      tried(take(client.all.searchLocations({ body: { pagination: { limit: 100 } } }), MACHINES_MAX)),
      tried(take(client.all.listRuns({ query: { status: 'placed', limit: 100 } }), WAITING_MAX)),
      tried(client.listEvents({ query: { limit: EVENTS_SHOWN } })),
    ])
    const url = serviceUrl(context.env, context.url)
    const latest = events.value?.events ?? []
    const silent = machines.value?.found.filter(({ online }) => online === false) ?? []
    const waiting = approvals.value?.found.length ?? 0
    const stop = guardrails.value?.emergency_stop
    const rules = guardrails.value?.rules
    const probation = guardrails.value?.probation_active
    await context.data({
      url,
      emergency_stop: stop,
      rules,
      probation_active: probation,
      namespaces: namespaces.value?.namespaces,
      approvals_waiting: approvals.value?.found.length,
      machines: machines.value?.found.length,
      machines_silent: silent.map(({ id }) => id),
      runs_under_way: runs.value?.found.length,
      events: latest,
    })
    const vendors = namespaces.value?.namespaces.map(({ namespace, status }) => `${namespace} (${status})`).join(', ')
    await context.fields([
      ['service', url],
      ['vendors', vendors],
      ['emergency stop', stop && stopText(stop)],
      ['spending limit', rules && `${yuan(rules.spendingLimitPerRun)} a run${probation ? ', on probation' : ''}`],
      ['price cap', rules && `${yuan(rules.priceCapPerItem)} an item`],
      ['decisions waiting', countOf(approvals.value)],
      ['runs under way', countOf(runs.value)],
      [
        'machines',
        machines.value && `${countOf(machines.value)}${silent.length > 0 ? `, ${silent.length} silent` : ''}`,
      ],
    ])
    if (latest.length > 0)
      await context.say([
        '',
        ...latest.map(({ occurred_at, summary }) => `${style.dim(when(occurred_at) ?? '')}  ${plain(summary)}`),
      ])
    if (stop?.engaged) context.next('release', 'on the host, once the reason is gone')
    else if (waiting > 0) context.next('approvals', `${count(waiting, 'decision')} to take`)
    else if (machines.value?.found.length === 0)
      context.next('machines add <id> --name <name>', 'registers the first machine')
    else context.next('plan', 'what to order now')

    const [problem] = [guardrails, namespaces, approvals, machines, runs, events].flatMap(({ error }) => error ?? [])
    // What could be read is shown all the same; the rest decides the exit code.
    if (problem) throw problem
  },
}

interface Tried<T> {
  readonly value?: T
  readonly error?: VendopsError
}

/** One part may fail while the others have something to tell; without an answer or a token there is nothing to tell. */
async function tried<T>(work: Promise<T>): Promise<Tried<T>> {
  try {
    return { value: await work }
  } catch (error) {
    if (error instanceof VendopsError && !error.unanswered && error.status !== 401) return { error }
    throw error
  }
}

const stopText = ({ engaged, since, reason }: EmergencyStop): string =>
  engaged ? `ON since ${when(since) ?? 'the guardrails file says so'}${reason ? `: ${reason}` : ''}` : 'off'

const countOf = (
  some: { readonly found: readonly unknown[]; readonly more: boolean } | undefined,
): string | undefined => some && `${some.found.length}${some.more ? '+' : ''}`
