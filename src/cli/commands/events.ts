/** What happened, and what happens now. */
import type { Event } from '../../contract/event.ts'
import type { Command } from '../command.ts'
import type { Context } from '../context.ts'
import { EXIT, exitOfError } from '../exit.ts'
import type { Exit } from '../exit.ts'
import { when } from '../format.ts'
import { plain } from '../width.ts'

const COLUMNS = [
  { title: 'AT', cell: ({ occurred_at }: Event) => when(occurred_at) },
  { title: 'KIND', cell: ({ kind }: Event) => kind },
  { title: 'BY', cell: ({ source, author }: Event) => (source === 'caller' ? (author ?? 'a caller') : undefined) },
  { title: 'MACHINE', cell: ({ location }: Event) => location },
  { title: 'WHAT', cell: ({ summary }: Event) => summary, flexible: true as const },
]

/** Every event one line, as it comes; ends with Ctrl-C, a refused token, or after `until` new ones. */
function follow(context: Context, wanted: (event: Event) => boolean, until: number): Promise<Exit> {
  const { client, terminal, style, json, signal } = context
  let heard = 0
  return new Promise((resolve) => {
    const subscription = client.events({
      signal,
      onEvent(event, origin) {
        if (!wanted(event)) return
        const { occurred_at, kind, location = '–', summary, source, author = 'a caller' } = event
        const by = source === 'caller' ? ` (by ${plain(author)})` : ''
        const line = json
          ? JSON.stringify(event)
          : `${style.dim(when(occurred_at) ?? '')}  ${plain(kind)}${by}  ${plain(location)}  ${plain(summary)}`
        void terminal.out(`${line}\n`)
        if (origin !== 'history') heard += 1
        if (heard < until) return
        subscription.close()
        resolve(EXIT.ok)
      },
      onState(now) {
        if (now.state === 'waiting' && !json)
          terminal.err(style.dim(`the line is down; trying again in ${Math.round(now.retryInMs / 1000)} s\n`))
        if (now.state === 'refused') resolve(exitOfError(now.error))
      },
    })
    signal.addEventListener('abort', () => resolve(EXIT.interrupted))
  })
}

export const EVENTS: Command = {
  name: 'events',
  group: 'Look',
  summary: 'what happened, newest first; with --follow as it happens',
  options: {
    follow: { kind: 'flag', summary: 'go on listening until Ctrl-C' },
    kind: { kind: 'text', value: 'KIND', summary: 'only of this kind, like order, checkout, approval, sync' },
    machine: { kind: 'text', value: 'ID', summary: 'only of this machine' },
    limit: {
      kind: 'number',
      value: 'N',
      summary: 'at most this many (20); with --follow: stop after so many new ones',
    },
  },
  examples: [
    ['vendops events --kind approval', 'the decisions'],
    ['vendops events --follow', 'live, also over lost connections'],
    ['vendops events --follow --json | while read -r event; do …; done', 'one JSON object per line'],
  ],
  async run(context, given) {
    const kind = given.text('kind')
    const location = given.text('machine')
    if (given.flag('follow')) {
      const wanted = (event: Event) =>
        (kind === undefined || event.kind === kind) && (location === undefined || event.location === location)
      const until = given.text('limit') === undefined ? Infinity : given.whole('limit', 0, 1, 1_000_000)
      return follow(context, wanted, until)
    }
    const query = {
      limit: given.whole('limit', 20, 1, 500),
      ...(kind === undefined ? {} : { kind }),
      ...(location === undefined ? {} : { location }),
    }
    const answer = await context.client.listEvents({ query })
    await context.data(answer)
    if (answer.events.length === 0) await context.say(['nothing happened yet'])
    else await context.table(answer.events, COLUMNS)
    context.next('events --follow', 'goes on listening')
    return EXIT.ok
  },
}
