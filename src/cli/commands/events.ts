/** Past events, and live events with --follow. */
import { OWN_EVENT_KINDS } from '../../contract/event-codes.ts'
import type { Event } from '../../contract/shapes/event.ts'
import type { Command } from '../command.ts'
import { closestWord } from '../../lib/words.ts'
import type { Context } from '../context.ts'
import { requireMachine } from '../lookups.ts'
import { type Exit, EXIT, exitOfError, UsageError } from '../exit.ts'
import { formatTime } from '../format.ts'
import { plainText } from '../width.ts'

const COLUMNS = [
  { title: 'AT', cell: ({ occurred_at }: Event) => formatTime(occurred_at) },
  { title: 'KIND', cell: ({ kind }: Event) => kind },
  {
    title: 'BY',
    cell: ({ source, author, by }: Event) => (source === 'caller' ? (author ?? 'a caller') : by?.name),
  },
  { title: 'MACHINE', cell: ({ location }: Event) => location, optional: true as const },
  { title: 'SUMMARY', cell: ({ summary }: Event) => summary, flexible: true as const },
]

/** Prints each new event as one line. Ends with Ctrl-C, a refused token, or after `until` new events. */
function followEvents(context: Context, isWanted: (event: Event) => boolean, until: number): Promise<Exit> {
  const { client, terminal, style, json, signal } = context
  let received = 0
  return new Promise((resolve) => {
    const subscription = client.events({
      signal,
      onEvent(event, origin) {
        if (!isWanted(event)) return
        const { occurred_at, kind, location = '–', summary, source, author = 'a caller' } = event
        const by = source === 'caller' ? ` (by ${plainText(author)})` : ''
        const line = json
          ? JSON.stringify(event)
          : `${style.dim(formatTime(occurred_at) ?? '')}  ${plainText(kind)}${by}  ${plainText(location)}  ${plainText(summary)}`
        void terminal.out(`${line}\n`)
        if (origin !== 'history') received += 1
        if (received < until) return
        subscription.close()
        resolve(EXIT.ok)
      },
      onState(now) {
        if (now.state === 'waiting' && !json)
          terminal.err(style.dim(`connection lost; reconnecting in ${Math.round(now.retryInMs / 1000)} s\n`))
        if (now.state === 'refused') resolve(exitOfError(now.error))
      },
    })
    signal.addEventListener('abort', () => resolve(EXIT.interrupted))
  })
}

/** Callers may append events of any kind, so a kind counts as known when there is an event of it. */
async function requireKind({ client }: Context, kind: string): Promise<void> {
  const known: readonly string[] = OWN_EVENT_KINDS
  if (known.includes(kind) || (await client.listEvents({ query: { kind, limit: 1 } })).events.length > 0) return
  const suggestion = closestWord(kind, OWN_EVENT_KINDS)
  throw new UsageError(
    `there are no events of kind "${kind}"${suggestion ? `; did you mean "${suggestion}"?` : `; the service writes ${OWN_EVENT_KINDS.join(', ')}`}`,
  )
}

export const EVENTS: Command = {
  name: 'events',
  summary: 'what happened, newest first; live with --follow',
  csv: true,
  options: {
    follow: { kind: 'flag', summary: 'keep listening until Ctrl-C' },
    kind: { kind: 'text', value: 'KIND', summary: 'only this kind, e.g. order, checkout, approval, sync' },
    machine: { kind: 'text', value: 'ID', summary: 'only this machine' },
    limit: {
      kind: 'number',
      value: 'N',
      summary: 'max. rows (default 20); with --follow: stop after N new events',
    },
  },
  examples: [
    ['vendops events --kind approval', 'approvals only'],
    ['vendops events --follow', 'live; reconnects by itself'],
    ['vendops events --follow --json | while read -r event; do …; done', 'one JSON object per line'],
  ],
  async run(context, args) {
    const kind = args.text('kind')
    const location = args.text('machine')
    if (location !== undefined) await requireMachine(context.client, location)
    if (kind !== undefined) await requireKind(context, kind)
    if (args.flag('follow')) {
      const isWanted = (event: Event) =>
        (kind === undefined || event.kind === kind) && (location === undefined || event.location === location)
      const until = args.text('limit') === undefined ? Infinity : args.wholeNumber('limit', 0, 1, 1_000_000)
      return followEvents(context, isWanted, until)
    }
    const limit = args.wholeNumber('limit', 20, 1, 500)
    const response = await context.client.listEvents({ query: { limit, kind, location } })
    await context.writeJson(response)
    const none = kind === undefined && location === undefined ? 'no events' : 'no matching events'
    await context.writeTable(response.events, COLUMNS, { none })
    context.suggest('events --follow', 'keeps listening')
  },
}
