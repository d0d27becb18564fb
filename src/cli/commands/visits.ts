/** A driver's round: what to load, what was loaded, taken out and counted at each machine, and undoing it. */
import type { PickList } from '../../contract/shapes/pick-list.ts'
import type { RemovalReason, Service, ServiceRequest } from '../../contract/shapes/service.ts'
import type { Command } from '../command.ts'
import type { Option, ParsedArgs } from '../parsed-args.ts'
import { COUNT_YES, withCountConfirmed } from '../confirm-count.ts'
import type { Context } from '../context.ts'
import { UsageError } from '../exit.ts'
import { formatTime, parseAmount } from '../format.ts'
import { count } from '../../kernel/text.ts'
import { omitUndefined } from '../../lib/objects.ts'
import { parsePairs, parseWholeNumber } from '../lookups.ts'
import { reportRun } from './runs.ts'

const EXAMPLE = 'M1001-G-0001=4'

const pick: Command = {
  name: 'pick',
  alias: 'runs picklist',
  summary: 'what to load into the van for a run, and what to put into each machine',
  args: [{ name: 'run' }],
  csv: true,
  options: {
    refresh: { kind: 'flag', summary: 'spread what was bought over the slots again, by their present stock' },
  },
  examples: [
    ['vendops pick run-1789000000000 --refresh', 'just before the van leaves'],
    ['vendops pick run-1789000000000 --csv > picklist.csv', 'one row per slot, in driving order'],
  ],
  async run(context, args) {
    const query = { refresh: args.flag('refresh') || undefined }
    const list = await context.client.getPickList({ params: { id: args.arg('run') }, query })
    await context.writeJson(list)
    if (context.csv) return writeSlots(context, list)
    await writeProducts(context, list)
    for (const stop of list.stops) {
      const done = stop.received_at === undefined ? '' : `, received ${formatTime(stop.received_at)}`
      await context.writeLines([
        '',
        `${stop.sequence}. ${stop.name} (${stop.location}): ${count(stop.units, 'unit')}${done}`,
      ])
      if (stop.received_at === undefined) await writeSlots(context, { ...list, stops: [stop] })
    }
    const open = list.stops.find(({ status }) => status === 'open')
    if (open && list.status === 'placed')
      context.suggest(`receive ${list.run} --machine ${open.location}`, 'once the products are in the machine')
  },
}

async function writeProducts(context: Context, { products, units, refreshed }: PickList): Promise<void> {
  await context.writeLines([`${count(units, 'unit')} to load${refreshed ? ', by present stock' : ', as planned'}`])
  await context.writeTable(products, [
    { title: 'PRODUCT', cell: ({ item }) => item.title, flexible: true },
    { title: 'CATEGORY', cell: ({ category }) => category },
    { title: 'UNITS', cell: ({ units: all }) => all, as: 'number' },
    { title: 'STORE ROOM', cell: ({ from_storeroom: n }) => n, as: 'number' },
    { title: 'DELIVERY', cell: ({ from_delivery: n }) => n, as: 'number' },
    {
      title: 'BOXES',
      cell: ({ boxes }) => (boxes?.count ? `${boxes.count} × ${boxes.contains}` : undefined),
      as: 'number',
    },
    { title: 'SINGLES', cell: ({ singles }) => singles, as: 'number' },
    { title: 'SPARE', cell: ({ spare }) => spare || undefined, as: 'number' },
    { title: 'MACHINES', cell: ({ locations }) => locations.length, as: 'number' },
  ])
}

const writeSlots = (context: Context, { stops }: PickList): Promise<void> =>
  context.writeTable(
    stops.flatMap(({ sequence, location, lines }) => lines.map((line) => ({ sequence, location, ...line }))),
    [
      { title: '#', cell: ({ sequence }) => sequence, as: 'number' },
      { title: 'MACHINE', cell: ({ location }) => location },
      { title: 'SLOT', cell: ({ slot_id }) => slot_id },
      { title: 'AT', cell: ({ position, lane }) => (position ? `${position.row}${position.column}` : lane) },
      { title: 'PRODUCT', cell: ({ item }) => item.title, flexible: true },
      { title: 'LOAD', cell: ({ quantity }) => quantity, as: 'number' },
      { title: 'THERE', cell: ({ expected_stock }) => expected_stock ?? undefined, as: 'number' },
      { title: 'FILL TO', cell: ({ fill_to }) => fill_to ?? undefined, as: 'number' },
      { title: 'PULL BEFORE', cell: ({ pull_if_older_than }) => pull_if_older_than },
    ],
  )

const slotList = (summary: string): Option => ({ kind: 'list', value: 'SLOT=UNITS', summary })

const WORK: Readonly<Record<string, Option>> = {
  expired: slotList('units taken out because they expired'),
  damaged: slotList('units taken out because they are damaged'),
  recalled: slotList('units taken out because they were recalled'),
  removed: slotList('units taken out for another reason'),
  returned: slotList('good units taken back to the store room'),
  counted: slotList('units in the slot at the end'),
  arrived: slotList('units found in the slot on arrival'),
  cash: { kind: 'text', value: 'AMOUNT', summary: 'cash that was collected, such as 120.50' },
  bag: { kind: 'text', value: 'NUMBER', summary: 'with --cash: number of the bag' },
  note: { kind: 'text', summary: 'a note for the record' },
  yes: COUNT_YES,
}

const REASONS: Readonly<Record<string, RemovalReason>> = {
  expired: 'expired',
  damaged: 'damaged',
  recalled: 'recalled',
  removed: 'other',
}

const unitsBySlot = (typed: readonly string[]): { readonly slot_id: string; readonly units: number }[] =>
  parsePairs(typed, EXAMPLE).map(({ key, value }) => ({ slot_id: key, units: parseWholeNumber(value, 'units') }))

/** What was taken out, counted and collected, as typed. */
async function workOf({ client }: Context, args: ParsedArgs): Promise<ServiceRequest> {
  const removed = Object.entries(REASONS).flatMap(([option, reason]) =>
    unitsBySlot(args.list(option)).map(({ slot_id, units }) => ({ slot_id, quantity: units, reason })),
  )
  const returned = unitsBySlot(args.list('returned')).map(({ slot_id, units }) => ({ slot_id, quantity: units }))
  const counted = (['counted', 'arrived'] as const).flatMap((option) =>
    unitsBySlot(args.list(option)).map(({ slot_id, units }) => ({
      slot_id,
      stock: units,
      when: option === 'arrived' ? ('arrival' as const) : ('end' as const),
    })),
  )
  const cash = args.text('cash')
  const bag = args.text('bag')
  if (bag !== undefined && cash === undefined) throw new UsageError('--bag needs --cash')
  return omitUndefined({
    removed: removed.length === 0 ? undefined : removed,
    returned: returned.length === 0 ? undefined : returned,
    counted: counted.length === 0 ? undefined : counted,
    cash:
      cash === undefined
        ? undefined
        : { amount: parseAmount(cash, (await client.getMe()).currency), ...(bag === undefined ? {} : { bag }) },
    note: args.text('note'),
  })
}

const receive: Command = {
  name: 'runs receive',
  alias: 'receive',
  summary: 'record what was loaded into the machines, all at once or machine by machine',
  args: [{ name: 'run' }, { name: 'slot=units', optional: true, many: true }],
  options: {
    all: { kind: 'flag', summary: 'everything as ordered, except the slots listed' },
    machine: { kind: 'text', value: 'ID', summary: 'only this machine: as ordered, except the slots listed' },
    slot: slotList('with --machine: another quantity for this slot'),
    ...WORK,
  },
  details: 'Units taken out and counted, and cash, need --machine; without a run use: vendops service.',
  examples: [
    ['vendops runs receive run-1789000000000 --all', 'everything arrived'],
    ['vendops runs receive run-1789000000000 --all M1001-G-0001=4', 'everything, but only 4 in this slot'],
    ['vendops receive run-1789000000000 --machine M1001', 'one machine, as ordered'],
    [
      'vendops receive run-1789000000000 --machine M1001 --slot M1001-G-0001=4 --expired M1001-G-0002=1',
      'one machine, with what differs',
    ],
  ],
  async run(context, args) {
    const id = args.arg('run')
    const machine = args.text('machine')
    const work = await workOf(context, args)
    const typed = unitsBySlot([...args.rest('slot=units'), ...args.list('slot')])
    if (machine === undefined && (work.removed || work.returned || work.counted || work.cash))
      throw new UsageError('units taken out or counted, and cash, need --machine')
    if (machine === undefined && typed.length === 0 && !args.flag('all'))
      throw new UsageError(`use --all, --machine, or list slots such as ${EXAMPLE}`)
    const listed = new Map(typed.map(({ slot_id, units }) => [slot_id, units]))
    const delivered = await loadDeliveredUnits(context, id, { machine, listed, all: args.flag('all') })
    if (machine !== undefined) {
      const params = { id, location: machine }
      const received = await withCountConfirmed(context, args.flag('yes'), (confirmed) =>
        context.client.receiveStop({ params, body: { delivered, ...work, ...confirmed } }),
      )
      return reportRun(context, received)
    }
    if (delivered.length === 0) throw new UsageError('this run has no lines to receive')
    return reportRun(context, await context.client.receiveRun({ params: { id }, body: { delivered, note: work.note } }))
  },
}

interface Receiving {
  readonly machine: string | undefined
  readonly listed: ReadonlyMap<string, number>
  readonly all: boolean
}

/** As ordered, of the stops that are open, except for the slots that were typed. */
async function loadDeliveredUnits({ client }: Context, id: string, { machine, listed, all }: Receiving) {
  const units = new Map<string, number>()
  if (all || machine !== undefined) {
    const { line_items, visits = [] } = await client.getRun({ params: { id } })
    const received = new Set(visits.flatMap(({ status, location }) => (status === 'received' ? [location] : [])))
    for (const { slot_id, location, quantity, status } of line_items)
      if (status !== 'removed' && (machine === undefined ? !received.has(location) : machine === location))
        units.set(slot_id, quantity.total)
  }
  return [...new Map([...units, ...listed])].map(([slot_id, quantity]) => ({ slot_id, quantity }))
}

const service: Command = {
  name: 'service',
  summary: 'record units taken out of a machine, slots counted and cash collected, without a run',
  args: [{ name: 'machine' }],
  options: WORK,
  examples: [
    ['vendops service M1001 --expired M1001-G-0001=2', 'two units were too old'],
    ['vendops service M1001 --counted M1001-G-0001=7 --note "monthly count"', 'what is in the slot now'],
    ['vendops service M1001 --cash 120.50 --bag 17', 'the box was emptied'],
  ],
  async run(context, args) {
    const body = await workOf(context, args)
    if (!body.removed && !body.returned && !body.counted && !body.cash)
      throw new UsageError(`list slots, such as --counted ${EXAMPLE}`)
    const params = { id: args.arg('machine') }
    const answer = await withCountConfirmed(context, args.flag('yes'), (confirmed) =>
      context.client.serviceMachine({ params, body: { ...body, ...confirmed } }),
    )
    await context.writeJson(answer)
    await writeService(context, answer.service)
    if (answer.service.cash) await context.writeLines([`cash of ${answer.service.location} booked`])
    context.suggest(`service undo ${answer.service.location} ${answer.service.id}`, 'undoes it, for ten minutes')
  },
}

const undo: Command = {
  name: 'service undo',
  summary: 'undo a service, or the receipt of one machine, within ten minutes',
  args: [{ name: 'machine' }, { name: 'service' }],
  examples: [['vendops service undo M1001 svc-1789000000000', 'the stop of its run is open again']],
  async run(context, args) {
    const params = { id: args.arg('machine'), service_id: args.arg('service') }
    const answer = await context.client.undoService({ params })
    await context.writeJson(answer)
    await context.writeLines([`${answer.service.id} at ${answer.service.location} undone`])
  },
}

async function writeService(context: Context, { counted, removed, stock }: Service): Promise<void> {
  if (stock.length === 0) return
  const differences = new Map(counted.map(({ slot_id, difference }) => [slot_id, difference]))
  const taken = new Map<string, number>()
  for (const { slot_id, quantity } of removed) taken.set(slot_id, (taken.get(slot_id) ?? 0) + quantity)
  await context.writeTable(stock, [
    { title: 'SLOT', cell: ({ slot_id }) => slot_id },
    { title: 'TAKEN OUT', cell: ({ slot_id }) => taken.get(slot_id), as: 'number' },
    { title: 'DIFFERENCE', cell: ({ slot_id }) => differences.get(slot_id), as: 'number' },
    { title: 'STOCK', cell: ({ stock: level }) => level ?? undefined, as: 'number' },
  ])
}

export const VISITS: readonly Command[] = [pick, receive, service, undo]
