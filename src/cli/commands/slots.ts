/** The slots of a machine, and locking them. */
import type { Product } from '../../contract/catalog.ts'
import type { Command } from '../command.ts'
import { formatPrice } from '../format.ts'
import { listMachineProducts, parseWholeNumber } from '../lookups.ts'
import type { Column } from '../table.ts'

const slotOf = (product: Product) => product.variants[0]

const COLUMNS: readonly Column<Product>[] = [
  { title: 'SLOT', cell: (product) => slotOf(product)?.inventory?.slot_id ?? product.id },
  { title: 'PRODUCT', cell: (product) => product.title, flexible: true },
  { title: 'STOCK', cell: (product) => slotOf(product)?.inventory?.stock ?? undefined, as: 'number' },
  { title: 'CAPACITY', cell: (product) => slotOf(product)?.inventory?.capacity ?? undefined, as: 'number' },
  { title: 'PRICE', cell: (product) => formatPrice(slotOf(product)?.price), as: 'number' },
  { title: 'LOCKED', cell: (product) => (slotOf(product)?.inventory?.locked ? 'locked' : ''), as: 'state' },
]

const list: Command = {
  name: 'slots',
  group: 'Stock and prices',
  summary: 'the slots of a machine: stock, capacity, price, locks',
  args: [{ name: 'machine' }],
  options: { low: { kind: 'number', value: 'N', summary: 'only slots with at most N in stock' } },
  examples: [
    ['vendops slots M1001', 'as the machine platform reports it now'],
    ['vendops slots M1001 --low 2', 'slots that are nearly empty'],
  ],
  async run(context, args) {
    const id = args.arg('machine')
    const low = args.text('low') === undefined ? Infinity : args.wholeNumber('low', 0, 0, 1000)
    const all = await listMachineProducts(context, id)
    // A slot whose stock is unknown may be nearly empty.
    const products = all.filter((product) => (slotOf(product)?.inventory?.stock ?? 0) <= low)
    await context.writeJson({ location: id, products })
    if (products.length === 0)
      await context.writeLines([all.length === 0 ? 'no products in this machine' : `no slots at or below ${low}`])
    else await context.writeTable(products, COLUMNS)
    context.suggest(`plan ${id}`, 'shows what to bring and why')
  },
}

const lockCommand = (name: 'lock' | 'unlock', summary: string, effect: string): Command => ({
  name: `slots ${name}`,
  group: 'Stock and prices',
  summary,
  args: [{ name: 'machine' }, { name: 'slot' }],
  examples: [[`vendops slots ${name} M1001 M1001-G-0001`, effect]],
  async run(context, args) {
    const id = args.arg('machine')
    const slot_id = args.arg('slot')
    const response = await context.client.updateSlot({ params: { id, slot_id }, body: { locked: name === 'lock' } })
    await context.writeJson(response)
    context.writeMessages(response.messages)
    await context.writeLines([`${slot_id} is ${response.inventory.locked ? 'locked' : 'unlocked'}`])
    context.suggest(`slots ${id}`, 'shows all slots')
  },
})

const countCommand: Command = {
  name: 'slots count',
  group: 'Stock and prices',
  summary: 'record how much is in a slot',
  args: [{ name: 'machine' }, { name: 'slot' }, { name: 'units' }],
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
    const response = await context.client.updateSlot({ params: { id, slot_id }, body: { stock } })
    await context.writeJson(response)
    context.writeMessages(response.messages)
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
