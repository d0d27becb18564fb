/** Machines: list, show, register, remove and sync. */
import type { Geo, Location, MachineProfile } from '../../contract/shapes/location.ts'
import { type Command, LIMIT, YES } from '../command.ts'
import { exitOfMessages, UsageError } from '../exit.ts'
import { formatTime } from '../format.ts'
import { count } from '../../kernel/text.ts'
import { omitUndefined } from '../../lib/objects.ts'
import { hoursText, parseHours } from '../../lib/opening-hours.ts'
import { collect, requireMachine } from '../lookups.ts'
import type { Column } from '../table.ts'

const SYNC_TIMEOUT_MS = 10 * 60 * 1000

const onlineText = ({ online }: Location) => (online === undefined ? undefined : online ? 'yes' : 'no')

const COLUMNS: readonly Column<Location>[] = [
  { title: 'ID', cell: (machine) => machine.id },
  { title: 'NAME', cell: (machine) => machine.name, flexible: true },
  { title: 'VENUE', cell: (machine) => machine.venue_type },
  { title: 'CITY', cell: (machine) => machine.profile?.city },
  { title: 'ONLINE', cell: onlineText },
  { title: 'LAST SYNC', cell: (machine) => formatTime(machine.last_synced_at) },
  { title: 'MISSING', cell: (machine) => machine.missing?.join(', ') || undefined, flexible: true },
]

const list: Command = {
  name: 'machines list',
  alias: 'machines',
  summary: 'the machines of the route',
  csv: true,
  args: [{ name: 'query', optional: true }],
  options: {
    limit: LIMIT,
    has: { kind: 'list', value: 'SKU', summary: 'only machines with this product in stock' },
  },
  examples: [
    ['vendops machines', 'all machines'],
    ['vendops machines 浦东', 'machines whose name or address contains the words'],
    ['vendops machines --has acme-machine:G-0001', 'machines with a product in stock'],
  ],
  async run(context, args) {
    const has = args.list('has')
    const body = {
      query: args.optional('query'),
      filters: has.length === 0 ? undefined : { items: has.map((id) => ({ id })) },
      pagination: { limit: 100 },
    }
    const limit = args.wholeNumber('limit', 200, 1, 5000)
    const { found, hasMore } = await collect(context.client.all.searchLocations({ body }), limit)
    await context.writeJson({ locations: found, has_more: hasMore })
    await context.writeTable(found, COLUMNS, { none: 'no machines' })
    if (found.length === 0) return context.suggest('machines add <id> --name <name>', 'registers a machine')
    if (hasMore) context.suggest(`machines --limit ${limit * 2}`, 'lists more')
    else context.suggest(`slots ${found[0]?.id}`, 'shows the slots of a machine')
  },
}

/** Each field of the profile: its label and its option. A field of the contract that is missing here does not compile. */
const PROFILE: Readonly<Record<keyof MachineProfile, readonly [label: string, option: string]>> = {
  venueType: ['venue', 'venue type, e.g. office, campus, hospital'],
  placement: ['placement', 'indoor, outdoor or semi_outdoor'],
  city: ['city', 'city'],
  address: ['address', 'street address'],
  floor: ['position', 'floor'],
  spot: ['position', 'position on the floor'],
  notes: ['notes', 'notes'],
  time_zone: ['time zone', 'time zone, e.g. Asia/Shanghai (default: that of the platform, else of the service)'],
}
const PROFILE_NAMES = Object.keys(PROFILE) as (keyof MachineProfile)[]

const profileFields = (profile: MachineProfile) =>
  [...Map.groupBy(PROFILE_NAMES, (name) => PROFILE[name][0])].map(
    ([label, names]) => [label, names.flatMap((name) => profile[name] ?? []).join(', ') || undefined] as const,
  )

const show: Command = {
  name: 'machines show',
  summary: 'one machine',
  args: [{ name: 'machine' }],
  examples: [['vendops machines show M1001', 'name, place, last reading and missing profile fields']],
  async run(context, args) {
    const id = args.arg('machine')
    const response = await requireMachine(context.client, id)
    await context.writeJson(response)
    const machine = response.locations[0]!
    context.writeMessages(response.messages)
    await context.writeFields([
      ['id', machine.id],
      ['name', machine.name],
      ['platform', machine.namespace],
      // The time zone in effect, which need not be that of the profile.
      ...profileFields({ ...machine.profile, ...(machine.timezone && { time_zone: machine.timezone }) }),
      ['area', machine.area],
      ['hours', machine.hours && hoursText(machine.hours)],
      ['coordinates', machine.geo && `${machine.geo.latitude},${machine.geo.longitude}`],
      ['online', onlineText(machine) ?? (machine.last_synced_at ? 'not reported' : undefined)],
      ['last seen', formatTime(machine.health?.last_seen_at ?? undefined)],
      ['problems', machine.health?.problems.join('; ') || undefined],
      ['last read', formatTime(machine.last_synced_at)],
      [
        'profile',
        machine.profile_complete ? 'complete' : `incomplete, missing ${machine.missing?.join(', ') ?? 'details'}`,
      ],
    ])
    context.suggest(`slots ${id}`, 'shows its slots')
  },
}

/** The service checks the range; here only that it is two numbers. */
function parseGeo(text: string | undefined): Geo | undefined {
  if (text === undefined) return undefined
  const [, latitude, longitude] = /^\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*$/.exec(text) ?? []
  if (latitude === undefined || longitude === undefined)
    throw new UsageError('--geo is a latitude and a longitude, such as 31.2304,121.4737')
  return { latitude: Number(latitude), longitude: Number(longitude) }
}

const add: Command = {
  name: 'machines add',
  summary: 'register a machine, or change its name and profile',
  args: [{ name: 'machine' }],
  options: {
    name: { kind: 'text', summary: 'name of the machine' },
    namespace: { kind: 'text', summary: 'its machine platform, fixed at registration (default: the first one)' },
    ...Object.fromEntries(Object.entries(PROFILE).map(([field, [, summary]]) => [field, { kind: 'text', summary }])),
    area: { kind: 'text', summary: 'machines of one area share trips (default: the city)' },
    geo: { kind: 'text', value: 'LAT,LON', summary: 'coordinates, e.g. 31.2304,121.4737' },
    hours: { kind: 'text', summary: 'when the place is open, e.g. "Mon-Fri 08:00-18:00"; "" removes them' },
  },
  examples: [
    [
      'vendops machines add M2001 --name 图书馆一楼 --city 上海 --venueType campus',
      'registers a machine; its stock and sales are then read every hour',
    ],
    ['vendops machines add 8341 --name Lobby --namespace nayax-machine', 'registers a machine of another platform'],
    ['vendops machines add M1001 --area Pudong --geo 31.2304,121.4737', 'states where trips find it'],
  ],
  async run(context, args) {
    const id = args.arg('machine')
    const geo = parseGeo(args.text('geo'))
    const hoursGiven = args.text('hours')
    const hours = hoursGiven === undefined ? undefined : parseHours(hoursGiven)
    if (hoursGiven !== undefined && !hours)
      throw new UsageError('--hours are weekdays and times, such as "Mon-Fri 08:00-18:00, Sat 10:00-14:00"')
    const known = await context.client.lookupLocations({ body: { ids: [id] } })
    const before = known.locations[0]
    const stated = Object.fromEntries(PROFILE_NAMES.map((field) => [field, args.text(field)]))
    // Fields that are not given keep their values.
    const profile = { ...before?.profile, ...omitUndefined<MachineProfile>(stated) }
    const response = await context.client.putLocation({
      params: { id },
      body: {
        name: args.text('name') ?? before?.name ?? id,
        profile,
        namespace: args.text('namespace'),
        area: args.text('area'),
        geo,
        hours,
      },
    })
    await context.writeReply(response)
    await context.writeLines([
      `${before ? 'changed' : 'registered'} ${response.location.id}  ${response.location.name}`,
    ])
    context.suggest('sync', 'reads its stock and sales now')
  },
}

const remove: Command = {
  name: 'machines remove',
  summary: 'remove a machine and delete its data',
  args: [{ name: 'machine' }],
  options: { yes: YES },
  examples: [['vendops machines remove M2001', 'asks for the id to confirm; events are kept']],
  async run(context, args) {
    const id = args.arg('machine')
    await context.confirm(`Type ${id} to remove it: `, (answer) => answer === id, args.flag('yes'))
    const response = await context.client.deleteLocation({ params: { id } })
    await context.writeJson(response)
    const { telemetry } = response.purged
    await context.writeLines([`removed ${response.removed}; ${count(telemetry, 'record')} of stock and sales deleted`])
    context.suggest('machines', 'lists the remaining machines')
  },
}

export const SYNC: Command = {
  name: 'sync',
  summary: 'read stock and sales of all machines now',
  options: { days: { kind: 'number', value: 'N', summary: 'days of sales to read, at least 21 (default 30)' } },
  examples: [
    ['vendops sync', 'also runs by itself every hour'],
    ['vendops sync --days 60', 'reads further back'],
  ],
  async run(context, args) {
    const days = args.wholeNumber('days', 30, 21, 365)
    const response = await context.withProgress('reading machines', () =>
      context.client.syncLocations({
        body: { sales_window_days: days },
        timeoutMs: SYNC_TIMEOUT_MS,
        signal: context.signal,
      }),
    )
    await context.writeJson(response)
    await context.writeFields([
      ['machines', response.locations],
      ['products', response.products],
      ['slots', response.slots],
      [`sales (${days} days)`, response.sales],
    ])
    context.writeMessages(response.messages)
    context.suggest('plan', 'shows what to order now')
    return exitOfMessages(response.messages)
  },
}

export const MACHINES: readonly Command[] = [list, show, add, remove]
