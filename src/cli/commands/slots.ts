/** What is in a machine, and the operator's locks on it. */
import type { Product } from '../../contract/catalog.ts'
import type { Command } from '../command.ts'
import { yuan } from '../format.ts'
import { shelfOf } from '../lookups.ts'
import type { Column } from '../table.ts'

const slotOf = (product: Product) => product.variants[0]

const COLUMNS: readonly Column<Product>[] = [
  { title: 'SLOT', cell: (product) => slotOf(product)?.inventory?.slot_id ?? product.id },
  { title: 'GOOD', cell: (product) => product.title, flexible: true },
  { title: 'STOCK', cell: (product) => slotOf(product)?.inventory?.stock, as: 'number' },
  { title: 'OF', cell: (product) => slotOf(product)?.inventory?.capacity ?? undefined, as: 'number' },
  { title: 'PRICE', cell: (product) => yuan(slotOf(product)?.price.amount ?? 0), as: 'number' },
  { title: 'LOCKED', cell: (product) => (slotOf(product)?.inventory?.locked ? 'locked' : ''), as: 'state' },
]

const list: Command = {
  name: 'slots',
  group: 'Stock and prices',
  summary: 'what is in a machine: stock, capacity, price, locks',
  args: [{ name: 'machine' }],
  options: { low: { kind: 'number', value: 'N', summary: 'only slots with at most this much stock' } },
  examples: [
    ['vendops slots M1001', 'as the machine platform tells it now'],
    ['vendops slots M1001 --low 2', 'what is nearly empty'],
  ],
  async run(context, given) {
    const id = given.arg('machine')
    const low = given.text('low') === undefined ? Infinity : given.whole('low', 0, 0, 1000)
    const all = await shelfOf(context, id)
    const shelf = all.filter((product) => (slotOf(product)?.inventory?.stock ?? 0) <= low)
    await context.data({ location: id, products: shelf })
    if (shelf.length === 0) await context.say([all.length === 0 ? 'no goods in this machine' : 'no slot is that low'])
    else await context.table(shelf, COLUMNS)
    context.next(`plan ${id}`, 'tells what to bring and why')
  },
}

const lockCommand = (name: 'lock' | 'unlock', summary: string, does: string): Command => ({
  name: `slots ${name}`,
  group: 'Stock and prices',
  summary,
  args: [{ name: 'machine' }, { name: 'slot' }],
  examples: [[`vendops slots ${name} M1001 M1001-G-0001`, does]],
  async run(context, given) {
    const id = given.arg('machine')
    const slot_id = given.arg('slot')
    const answer = await context.client.lockSlot({ params: { id, slot_id }, body: { locked: name === 'lock' } })
    await context.data(answer)
    context.messages(answer.messages)
    await context.say([`${slot_id} is ${answer.inventory.locked ? 'locked' : 'unlocked'}`])
    context.next(`slots ${id}`, 'shows the machine')
  },
})

export const SLOTS: readonly Command[] = [
  list,
  lockCommand('lock', 'keep replenishment away from a slot', 'no plan and no run touches the slot from now on'),
  lockCommand('unlock', 'let replenishment have a slot again', 'plans order for it again'),
]
