/** The roster of machines: list, one machine, register, remove, sync. */
import type { Location } from '../../contract/location.ts'
import type { Command } from '../command.ts'
import { LIMIT, YES } from '../command.ts'
import { exitOfMessages } from '../exit.ts'
import { count, when } from '../format.ts'
import { take } from '../lookups.ts'
import type { Column } from '../table.ts'

const SYNC_TIMEOUT_MS = 10 * 60 * 1000

const onlineWord = ({ online }: Location) => (online === undefined ? undefined : online ? 'yes' : 'no')

const COLUMNS: readonly Column<Location>[] = [
  { title: 'ID', cell: (machine) => machine.id },
  { title: 'NAME', cell: (machine) => machine.name, flexible: true },
  { title: 'VENUE', cell: (machine) => machine.venue_type },
  { title: 'CITY', cell: (machine) => machine.profile?.city },
  { title: 'ONLINE', cell: onlineWord },
  { title: 'SYNCED', cell: (machine) => when(machine.last_synced_at) },
  { title: 'MISSING', cell: (machine) => machine.missing?.join(', ') || undefined, flexible: true },
]

const list: Command = {
  name: 'machines list',
  alias: 'machines',
  group: 'Look',
  summary: 'the machines of the route',
  args: [{ name: 'query', optional: true }],
  options: {
    limit: LIMIT,
    has: { kind: 'list', value: 'SKU', summary: 'only machines that have this good in stock' },
  },
  examples: [
    ['vendops machines', 'the whole roster'],
    ['vendops machines 浦东', 'those whose name or address has the words'],
    ['vendops machines --has acme-machine:G-0001', 'where a good is in stock'],
  ],
  async run(context, given) {
    const query = given.optional('query')
    const has = given.list('has')
    const body = {
      ...(query === undefined ? {} : { query }),
      ...(has.length === 0 ? {} : { filters: { items: has.map((id) => ({ id })) } }),
      pagination: { limit: 100 },
    }
    const limit = given.whole('limit', 200, 1, 5000)
    const { found, more } = await take(context.client.all.searchLocations({ body }), limit)
    await context.data({ locations: found, has_more: more })
    if (found.length === 0) {
      await context.say(['no machines'])
      return context.next('machines add <id> --name <name>', 'registers one')
    }
    await context.table(found, COLUMNS)
    if (more) context.next(`machines --limit ${limit * 2}`, 'shows more')
    else context.next(`slots ${found[0]?.id}`, 'shows what is in a machine')
  },
}

const show: Command = {
  name: 'machines show',
  group: 'Look',
  summary: 'one machine',
  args: [{ name: 'machine' }],
  examples: [['vendops machines show M1001', 'name, place, last sync, and what its profile lacks']],
  async run(context, given) {
    const id = given.arg('machine')
    const answer = await context.client.lookupLocations({ body: { ids: [id] } })
    await context.data(answer)
    const [machine] = answer.locations
    context.messages(answer.messages)
    if (!machine) return 1
    const { profile = {} } = machine
    await context.fields([
      ['id', machine.id],
      ['name', machine.name],
      ['venue', machine.venue_type],
      ['placement', machine.placement],
      ['city', profile.city],
      ['address', profile.address],
      ['spot', [profile.floor, profile.spot].filter(Boolean).join(', ') || undefined],
      ['notes', profile.notes],
      ['online', onlineWord(machine)],
      ['last synced', when(machine.last_synced_at)],
      ['profile', machine.profile_complete ? 'complete' : `lacks ${machine.missing?.join(', ') ?? 'something'}`],
    ])
    context.next(`slots ${id}`, 'shows what is in it')
    return 0
  },
}

const PROFILE = ['city', 'address', 'placement', 'venueType', 'floor', 'spot', 'notes'] as const

const add: Command = {
  name: 'machines add',
  group: 'Look',
  summary: 'register a machine, or change its name and profile',
  args: [{ name: 'machine' }],
  options: {
    name: { kind: 'text', summary: 'its name' },
    ...Object.fromEntries(PROFILE.map((field) => [field, { kind: 'text', summary: `profile: ${field}` }])),
  },
  examples: [
    [
      'vendops machines add M2001 --name 图书馆一楼 --city 上海 --venueType campus',
      'registers it; it then syncs every hour',
    ],
  ],
  async run(context, given) {
    const id = given.arg('machine')
    const name = given.text('name')
    const known = await context.client.lookupLocations({ body: { ids: [id] } })
    const before = known.locations[0]
    const stated = PROFILE.flatMap((field) => {
      const value = given.text(field)
      return value === undefined ? [] : [[field, value]]
    })
    // What is not said stays as it was.
    const profile = { ...before?.profile, ...(Object.fromEntries(stated) as object) }
    const answer = await context.client.putLocation({
      params: { id },
      body: { name: name ?? before?.name ?? id, profile },
    })
    await context.data(answer)
    context.messages(answer.messages)
    await context.say([`${before ? 'changed' : 'registered'} ${answer.location.id}  ${answer.location.name}`])
    context.next('sync', 'reads its goods and sales now')
  },
}

const remove: Command = {
  name: 'machines remove',
  group: 'Look',
  summary: 'take a machine off the roster and purge what was kept about it',
  args: [{ name: 'machine' }],
  options: { yes: YES },
  examples: [['vendops machines remove M2001', 'asks for the id once more; events are kept']],
  async run(context, given) {
    const id = given.arg('machine')
    await context.confirm(`Type ${id} to remove it: `, (answer) => answer === id, given.flag('yes'))
    const answer = await context.client.deleteLocation({ params: { id } })
    await context.data(answer)
    const { telemetry } = answer.purged
    await context.say([`removed ${answer.removed}; ${count(telemetry, 'record')} of stock and sales purged`])
    context.next('machines', 'shows who is left')
  },
}

const sync: Command = {
  name: 'sync',
  group: 'Stock and prices',
  summary: 'pull live stock and sales of every machine now',
  options: { days: { kind: 'number', value: 'N', summary: 'days of sales to read (30; at least 21)' } },
  examples: [
    ['vendops sync', 'also happens by itself every hour'],
    ['vendops sync --days 60', 'reads further back'],
  ],
  async run(context, given) {
    const days = given.whole('days', 30, 21, 365)
    const answer = await context.during('reading every machine', () =>
      context.client.syncLocations({
        body: { sales_window_days: days },
        timeoutMs: SYNC_TIMEOUT_MS,
        signal: context.signal,
      }),
    )
    await context.data(answer)
    await context.fields([
      ['machines', answer.locations],
      ['products', answer.products],
      ['slots', answer.slots],
      [`sales (${days} days)`, answer.sales],
    ])
    context.messages(answer.messages)
    context.next('plan', 'shows what to order now')
    return exitOfMessages(answer.messages)
  },
}

export const MACHINES: readonly Command[] = [list, show, add, remove, sync]
