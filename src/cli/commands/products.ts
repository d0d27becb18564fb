/** Products to phase out: nothing more is ordered of them. */
import { type Command, YES } from '../command.ts'
import { createSkuResolver } from '../lookups.ts'

const phaseOut: Command = {
  name: 'products phase-out',
  summary: 'order nothing more of a product; what is in the machines sells off',
  args: [{ name: 'sku' }],
  options: {
    machine: { kind: 'text', value: 'ID', summary: 'only for this machine (default: the whole route)' },
    end: { kind: 'flag', summary: 'order it again' },
    yes: YES,
  },
  examples: [
    ['vendops products phase-out acme-machine:G-0001', 'asks for confirmation; the plan says phase_out'],
    ['vendops products phase-out acme-machine:G-0001 --machine M1001', 'for one machine'],
    ['vendops products phase-out acme-machine:G-0001 --end', 'orders it again where it is needed'],
  ],
  async run(context, args) {
    const machine = args.text('machine')
    const complete = await createSkuResolver(context.client, [args.arg('sku')], machine)
    const sku_id = complete(args.arg('sku'))
    const phase_out = !args.flag('end')
    const where = machine === undefined ? 'on the whole route' : `for ${machine}`
    if (phase_out)
      await context.confirm(
        `Order no more ${sku_id} ${where}? [y/N] `,
        (answer) => /^y(es)?$/i.test(answer),
        args.flag('yes'),
      )
    const record = await context.client.setPhaseOut({
      params: { sku_id },
      body: { phase_out, location: machine },
    })
    await context.writeReply(record)
    await context.writeLines([`${record.title ?? sku_id} is ${phase_out ? 'phased out' : 'ordered again'} ${where}`])
    context.suggest('plan', 'shows what to order now')
  },
}

export const PRODUCTS: readonly Command[] = [phaseOut]
