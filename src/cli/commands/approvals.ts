/** Decisions of the owner. */
import type { Approval } from '../../contract/shapes/approval.ts'
import { type Command, LIMIT } from '../command.ts'
import type { Context } from '../context.ts'
import { exitOfMessages } from '../exit.ts'
import { formatTime } from '../format.ts'
import { PAGE_MAX } from '../../contract/limits.ts'
import { collect } from '../lookups.ts'
import { plainText } from '../width.ts'

const KINDS = ['swap', 'price_change', 'fault_flag', 'restock_plan', 'note'] as const
const STATUSES = ['pending', 'approved', 'rejected', 'all'] as const

const list: Command = {
  name: 'approvals list',
  alias: 'approvals',
  summary: 'pending and past approvals',
  csv: true,
  options: {
    status: { kind: 'text', value: 'STATUS', summary: 'default: pending', choices: STATUSES },
    kind: { kind: 'text', value: 'KIND', summary: 'only this kind', choices: KINDS },
    limit: LIMIT,
  },
  examples: [
    ['vendops approvals', 'the inbox'],
    ['vendops approvals --status all', 'including past decisions'],
    ['test -z "$(vendops approvals --json | jq -r \'.approvals[].id\')"', 'in a script: is anything pending?'],
  ],
  async run(context, args) {
    const status = STATUSES.find((word) => word === args.text('status')) ?? 'pending'
    const kind = KINDS.find((word) => word === args.text('kind'))
    const limit = args.wholeNumber('limit', 20, 1, 1000)
    const query = { status, kind, limit: Math.min(limit, PAGE_MAX) }
    const { found, hasMore } = await collect(context.client.all.listApprovals({ query }), limit)
    await context.writeJson({ approvals: found, has_more: hasMore })
    await context.writeTable(
      found,
      [
        { title: 'ID', cell: ({ id }) => id },
        { title: 'AT', cell: ({ at }) => formatTime(at) },
        { title: 'STATUS', cell: (approval) => approval.status, as: 'state' },
        { title: 'KIND', cell: (approval) => approval.kind },
        { title: 'SUBJECT', cell: ({ subject }) => subject.id },
        { title: 'SUMMARY', cell: ({ summary }) => summary, flexible: true },
      ],
      { none: status === 'pending' ? 'no pending approvals' : 'no approvals' },
    )
    if (found.length === 0) return context.suggest('status', 'shows an overview of the route')
    context.suggest(`approvals show ${found[0]?.id}`, 'shows the reason')
  },
}

async function printApproval(context: Context, approval: Approval): Promise<void> {
  const destination = approval.details?.destination
  await context.writeFields([
    ['id', approval.id],
    ['status', approval.status],
    ['kind', approval.kind],
    ['at', formatTime(approval.at)],
    ['subject', `${approval.subject.type} ${approval.subject.id}`],
    ['summary', approval.summary],
    ['reasoning', approval.reasoning],
    [
      'destination',
      destination && [destination.name, destination.phone_number, destination.address].filter(Boolean).join(', '),
    ],
    ['options', approval.options?.join(' | ')],
    ['expires', approval.status === 'pending' ? formatTime(approval.expires_at) : undefined],
    ['answer', approval.answer && [approval.answer.option, approval.answer.comment].filter(Boolean).join(': ')],
    ['decided', formatTime(approval.resolved_at)],
    ['by', approval.resolved_by],
  ])
}

const show: Command = {
  name: 'approvals show',
  summary: 'one approval: what, why and how much',
  args: [{ name: 'id' }],
  examples: [['vendops approvals show dec-1789000000000-1', 'details, before you decide']],
  async run(context, args) {
    const response = await context.client.getApproval({ params: { id: args.arg('id') } })
    await context.writeJson(response)
    await printApproval(context, response)
    context.writeMessages(response.messages)
    if (response.options && response.status === 'pending')
      context.suggest(`approvals approve ${response.id} --option '${response.options[0] ?? ''}'`, 'answers it')
    else if (response.status === 'pending')
      context.suggest(`approvals approve ${response.id}`, 'approves it; approvals reject   rejects it')
    else context.suggest('approvals', 'lists the other pending approvals')
  },
}

const NEXT_STEPS: Readonly<Record<Approval['subject']['type'], (id: string) => readonly [string, string]>> = {
  checkout: (id) => [`checkout complete ${id}`, 'places the order; approving it did not'],
  replenishment_run: (id) => [`runs place ${id}`, 'orders the run from the supplier'],
  price_change: () => ['events --kind price_change', 'shows whether the machine applied the prices'],
  slot: () => ['events', 'shows what happened next'],
  note: () => ['approvals', 'lists what else is pending'],
}

const resolveCommand = (name: 'approve' | 'reject', summary: string, effect: string): Command => ({
  name: `approvals ${name}`,
  summary,
  args: [{ name: 'id' }],
  options: {
    ...(name === 'approve' && {
      option: { kind: 'text', value: 'TEXT', summary: 'the answer to a question that offers several' } as const,
    }),
    comment: { kind: 'text', summary: 'why, for the record; shown with the event' },
  },
  examples: [
    [`vendops approvals ${name} dec-1789000000000-1`, effect],
    [`vendops approvals ${name} dec-1789000000000-1 --comment "agreed by phone"`, 'with a reason'],
  ],
  async run(context, args) {
    const response = await context.client.resolveApproval({
      params: { id: args.arg('id') },
      body: {
        approved: name === 'approve',
        comment: args.text('comment'),
        ...(name === 'approve' && { option: args.text('option') }),
      },
    })
    await context.writeJson(response)
    await context.writeLines([`${response.id} is ${response.status}: ${plainText(response.summary)}`])
    context.writeMessages(response.messages)
    const { type, id } = response.subject
    if (response.approved) context.suggest(...NEXT_STEPS[response.kind === 'note' ? 'note' : type](id))
    else context.suggest('approvals', 'lists the other pending approvals')
    return exitOfMessages(response.messages)
  },
})

export const APPROVALS: readonly Command[] = [
  list,
  show,
  resolveCommand('approve', 'approve a request', 'the request may proceed; a price change is applied at once'),
  resolveCommand('reject', 'reject a request', 'the request is closed'),
]
