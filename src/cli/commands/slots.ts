/** The slots of a machine, locking and counting them. */
import type { Product } from '../../contract/shapes/catalog.ts'
import type { Command } from '../command.ts'
import { COUNT_YES, withCountConfirmed } from '../confirm-count.ts'
import { stockState } from '../../kernel/stock-state.ts'
import type { Context } from '../context.ts'
import { formatTime } from '../format.ts'
import { listMachineProducts, parseWholeNumber, requireMachine } from '../lookups.ts'
import type { Column } from '../table.ts'

const slotOf = (product: Product) => product.variants[0]

/** Where what we booked and the machine differ, both are shown. */
function countNote(product: Product): string {
  const { counted_at, received_at, reported_stock: reported } = slotOf(product)?.inventory ?? {}
  const at = counted_at ?? received_at
  if (at === undefined) return ''
  const what = counted_at === undefined ? 'received' : 'counted'
  return `${what} ${formatTime(at)}${reported === undefined ? '' : `; the machine says ${reported}`}`
}

const STATED = { optional: true, ifFilled: true } as const

const COLUMNS: readonly Column<Product>[] = [
  { title: 'SLOT', cell: (product) => slotOf(product)?.inventory?.slot_id ?? product.id },
  { title: 'PRODUCT', cell: (product) => product.title, flexible: true },
  { title: 'STOCK', cell: (product) => slotOf(product)?.inventory?.stock ?? undefined, as: 'number' },
  {
    title: 'CAPACITY',
    cell: (product) => slotOf(product)?.inventory?.capacity ?? undefined,
    as: 'number',
    optional: true,
  },
  { title: 'PRICE', cell: (product) => slotOf(product)?.price, as: 'number' },
  { title: 'LOCKED', cell: (product) => (slotOf(product)?.inventory?.locked ? 'locked' : ''), as: 'state' },
  // Where an operator stated them; in CSV always, so that the file can be completed and imported.
  { title: 'PAR', cell: (product) => slotOf(product)?.inventory?.par, as: 'number', ...STATED },
  { title: 'ROW', cell: (product) => slotOf(product)?.inventory?.position?.row, ...STATED },
  { title: 'COLUMN', cell: (product) => slotOf(product)?.inventory?.position?.column, as: 'number', ...STATED },
  { title: 'NOTE', cell: countNote, optional: true },
]

/** Low as in the console: how long the stock lasts is in the plan. */
async function loadIsLow({ client, signal }: Context): Promise<(product: Product) => boolean> {
  const { plans } = await client.getPlan({ signal })
  const cover = new Map(plans.map(({ slot_id, days_of_cover }) => [slot_id, days_of_cover]))
  return (product) => {
    const { stock = null, slot_id = '' } = slotOf(product)?.inventory ?? {}
    return stockState(stock, cover.get(slot_id)) !== 'ok'
  }
}

const list: Command = {
  name: 'slots',
  summary: 'the slots of a machine: stock, capacity, fill level (par), price, locks',
  args: [{ name: 'machine' }],
  csv: true,
  options: {
    low: { kind: 'flag', summary: 'only slots that are empty or sold out within 24 hours, as in the console' },
    'at-most': { kind: 'number', value: 'N', summary: 'only slots with at most N in stock' },
  },
  examples: [
    ['vendops slots M1001', 'as the machine platform reports it now'],
    ['vendops slots M1001 --low', 'slots that are empty or will be within a day'],
    ['vendops slots M1001 --at-most 2', 'slots with two units or less'],
  ],
  async run(context, args) {
    const id = args.arg('machine')
    const most = args.text('at-most') === undefined ? Infinity : args.wholeNumber('at-most', 0, 0, 1000)
    await requireMachine(context.client, id)
    const all = await listMachineProducts(context, id)
    const isLow = args.flag('low') ? await loadIsLow(context) : () => true
    // A slot whose stock is unknown may be nearly empty.
    const products = all.filter((product) => (slotOf(product)?.inventory?.stock ?? 0) <= most && isLow(product))
    await context.writeJson({ location: id, products })
    const noneMatches = args.flag('low') ? 'no slots are low' : `no slots at or below ${most}`
    const none = all.length === 0 ? 'no products in this machine' : noneMatches
    await context.writeTable(products, COLUMNS, { none })
    context.suggest(`plan ${id}`, 'shows what to bring and why')
  },
}

const lockCommand = (name: 'lock' | 'unlock', summary: string, effect: string): Command => ({
  name: `slots ${name}`,
  summary,
  args: [{ name: 'machine' }, { name: 'slot' }],
  examples: [[`vendops slots ${name} M1001 M1001-G-0001`, effect]],
  async run(context, args) {
    const id = args.arg('machine')
    const slot_id = args.arg('slot')
    const response = await context.client.updateSlot({ params: { id, slot_id }, body: { locked: name === 'lock' } })
    await context.writeReply(response)
    await context.writeLines([`${slot_id} is ${response.inventory.locked ? 'locked' : 'unlocked'}`])
    context.suggest(`slots ${id}`, 'shows all slots')
  },
})

const countCommand: Command = {
  name: 'slots count',
  summary: 'record how much is in a slot',
  args: [{ name: 'machine' }, { name: 'slot' }, { name: 'units' }],
  options: { yes: COUNT_YES },
  details: 'Asks where the count is above the capacity, or above three times what was ever there.',
  examples: [
    [
      'vendops slots count M1001 M1001-G-0001 7',
      'where the platform reports no stock, sales and deliveries are counted from here on',
    ],
  ],
  async run(context, args) {
    const id = args.arg('machine')
    const slot_id = args.arg('slot')
    const stock = parseWholeNumber(args.arg('units'), 'units')
    const response = await withCountConfirmed(context, args.flag('yes'), (confirmed) =>
      context.client.updateSlot({ params: { id, slot_id }, body: { stock, ...confirmed } }),
    )
    await context.writeReply(response)
    await context.writeLines([`${slot_id} has ${response.inventory.stock ?? stock} in stock`])
    context.suggest(`plan ${id}`, 'shows what to bring and why')
  },
}

export const SLOTS: readonly Command[] = [
  list,
  countCommand,
  lockCommand('lock', 'exclude a slot from restocking', 'plans and runs skip this slot'),
  lockCommand('unlock', 'include a slot in restocking again', 'plans and runs include this slot again'),
]
