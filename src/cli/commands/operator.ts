/** The operator of the service: what it may do, and its shifts. */
import type { ShiftAnswer, ShiftEntry } from '../../contract/shapes/operator/operator.ts'
import { DAY, HOUR, systemClock } from '../../kernel/clock.ts'
import { formatAmount } from '../../kernel/currency.ts'
import type { Command } from '../command.ts'
import type { Context } from '../context.ts'
import { UsageError } from '../exit.ts'
import { formatTime } from '../format.ts'
import { plainText } from '../width.ts'

const SHIFTS_SHOWN = 10

const show: Command = {
  name: 'operator',
  summary: 'what the built-in operator may do, its last shifts and what it is waiting for',
  examples: [['vendops operator', 'in short']],
  async run(context) {
    const operator = await context.client.getOperator()
    const { shifts } = await context.client.listShifts({ query: { limit: SHIFTS_SHOWN } })
    await context.writeJson({ ...operator, shifts })
    const { autonomy, budget } = operator
    await context.writeFields([
      ['restock', autonomy.restock],
      ['prices', autonomy.prices],
      ['swaps', autonomy.swaps],
      ['model', operator.model?.name],
      ['wakes up', operator.next_wake_at === null ? 'not planned' : formatTime(operator.next_wake_at)],
      ['paused until', operator.paused_until === null ? undefined : formatTime(operator.paused_until)],
      ['per purchase', budget.per_purchase === null ? undefined : formatAmount(budget.per_purchase, budget.currency)],
      ['left today', budget.left_today === null ? undefined : formatAmount(budget.left_today, budget.currency)],
      ['waits for', operator.waiting_for.map(({ id, text }) => `${id}: ${plainText(text)}`).join('; ') || undefined],
    ])
    await context.writeTable(
      shifts,
      [
        { title: 'ID', cell: ({ id }: ShiftEntry) => id },
        { title: 'AT', cell: (shift) => formatTime(shift.started_at) },
        { title: 'STATUS', cell: ({ status }) => status, as: 'state' },
        { title: 'WHY', cell: ({ trigger, dry_run: isDryRun }) => `${trigger}${isDryRun ? ', dry run' : ''}` },
        { title: 'SUMMARY', cell: ({ summary }) => summary, flexible: true },
      ],
      { none: 'no shift yet' },
    )
    const [last] = shifts
    if (last) context.suggest(`operator show ${last.id}`, 'shows what it saw, did, and why')
    else context.suggest('operator shift --dry-run', 'shows what it would do')
  },
}

function costLines({ model, cost, figures }: ShiftAnswer): readonly string[] {
  if (!model || !cost) return []
  const { model_tokens: tokens, model_cost: amount } = cost
  const price = amount === null || !figures ? 'cost not known' : formatAmount(amount, figures.currency)
  return [`  model: ${plainText(model.name)}, ${tokens.input} tokens read, ${tokens.output} written, ${price}`]
}

const stepText = ({ saw, did, because }: ShiftAnswer['steps'][number]): string =>
  [saw, did, because].filter(Boolean).join(' ')

async function printShift(context: Context, shift: ShiftAnswer): Promise<void> {
  await context.writeJson(shift)
  await context.writeLines([`${shift.id} is ${shift.status}: ${plainText(shift.summary)}`, ...costLines(shift)])
  await context.writeTable(
    shift.steps,
    [
      { title: 'AT', cell: ({ at }) => formatTime(at) },
      { title: 'OUTCOME', cell: ({ outcome }) => outcome, as: 'state' },
      ...(context.csv ? [{ title: 'STEP', cell: stepText }] : []),
    ],
    { remark: stepText, none: 'nothing yet' },
  )
}

const showShift: Command = {
  name: 'operator show',
  summary: 'the journal of a shift',
  args: [{ name: 'id' }],
  examples: [['vendops operator show shift-1789000000000-1', 'step by step']],
  run: async (context, args) => printShift(context, await context.client.getShift({ params: { id: args.arg('id') } })),
}

const ENTRIES_SHOWN = 100

const transcript: Command = {
  name: 'operator transcript',
  summary: 'what the model of a shift was told and said (owner, for 30 days)',
  args: [{ name: 'id' }],
  examples: [['vendops operator transcript shift-1789000000000-1', 'with the key of an owner']],
  async run(context, args) {
    const params = { id: args.arg('id') }
    let cursor: string | undefined
    do {
      const query = { limit: ENTRIES_SHOWN, ...(cursor === undefined ? {} : { cursor }) }
      const page = await context.client.getTranscript({ params, query })
      await context.writeJson(page)
      await context.writeLines(
        page.entries.flatMap(({ at, kind, content }) => [`${formatTime(at)} ${kind}`, `  ${plainText(content)}`]),
      )
      cursor = page.pagination?.cursor
    } while (cursor !== undefined)
  },
}

const shift: Command = {
  name: 'operator shift',
  summary: 'start a shift now',
  options: { 'dry-run': { kind: 'flag', summary: 'only say what it would do' } },
  examples: [
    ['vendops operator shift --dry-run', 'what it would do now'],
    ['vendops operator shift', 'restock what is due, within the rules'],
  ],
  async run(context, args) {
    const started = await context.client.startShift(args.flag('dry-run') ? { query: { dry_run: 'true' } } : {})
    await printShift(context, started)
    context.suggest(`operator show ${started.id}`, 'shows its journal')
  },
}

const pause: Command = {
  name: 'operator pause',
  summary: 'pause the built-in operator; only an owner ends a pause early',
  args: [{ name: 'hours', optional: true }],
  options: { end: { kind: 'flag', summary: 'end the pause' } },
  examples: [
    ['vendops operator pause', 'for a day'],
    ['vendops operator pause 48', 'for two days'],
    ['vendops operator pause --end', 'with the key of an owner'],
  ],
  async run(context, args) {
    const text = args.optional('hours') ?? String(DAY / HOUR)
    if (!/^\d{1,4}$/.test(text) || Number(text) < 1) throw new UsageError(`"${text}" is not a number of hours`)
    const until = new Date(systemClock.now() + Number(text) * HOUR).toISOString()
    const operator = await context.client.putOperator({ body: { paused_until: args.flag('end') ? null : until } })
    await context.writeReply(operator)
    await context.writeLines([
      operator.paused_until === null ? 'not paused' : `paused until ${formatTime(operator.paused_until)}`,
    ])
    context.suggest('operator', 'shows when it works again')
  },
}

export const OPERATOR: readonly Command[] = [show, showShift, transcript, shift, pause]
