/** Decisions that wait for the owner. */
import type { Approval } from '../../contract/approval.ts'
import type { Command } from '../command.ts'
import { LIMIT } from '../command.ts'
import type { Context } from '../context.ts'
import { exitOfMessages } from '../exit.ts'
import { when } from '../format.ts'
import { PAGE_MAX } from '../../contract/limits.ts'
import { take } from '../lookups.ts'
import { plain } from '../width.ts'

const KINDS = ['swap', 'price_change', 'fault_flag', 'restock_plan', 'note'] as const
const STATUSES = ['pending', 'approved', 'rejected', 'all'] as const

const list: Command = {
  name: 'approvals list',
  alias: 'approvals',
  group: 'Decide',
  summary: 'decisions that wait, or were taken',
  options: {
    status: { kind: 'text', value: 'STATUS', summary: 'pending unless said', choices: STATUSES },
    kind: { kind: 'text', value: 'KIND', summary: 'only of this kind', choices: KINDS },
    limit: LIMIT,
  },
  examples: [
    ['vendops approvals', 'the inbox'],
    ['vendops approvals --status all', 'also those already taken'],
    ['test -z "$(vendops approvals --json | jq -r \'.approvals[].id\')"', 'in a script: does anything wait?'],
  ],
  async run(context, given) {
    const status = STATUSES.find((word) => word === given.text('status')) ?? 'pending'
    const kind = KINDS.find((word) => word === given.text('kind'))
    const limit = given.whole('limit', 20, 1, 1000)
    const query = { status, ...(kind ? { kind } : {}), limit: Math.min(limit, PAGE_MAX) }
    const { found, more } = await take(context.client.all.listApprovals({ query }), limit)
    await context.data({ approvals: found, has_more: more })
    if (found.length === 0) {
      await context.say([status === 'pending' ? 'nothing waits for a decision' : 'no decisions'])
      return context.next('status', 'the route at a glance')
    }
    await context.table(found, [
      { title: 'ID', cell: ({ id }) => id },
      { title: 'AT', cell: ({ at }) => when(at) },
      { title: 'STATUS', cell: (approval) => approval.status, as: 'state' },
      { title: 'KIND', cell: (approval) => approval.kind },
      { title: 'SUBJECT', cell: ({ subject }) => subject.id },
      { title: 'SUMMARY', cell: ({ summary }) => summary, flexible: true },
    ])
    context.next(`approvals show ${found[0]?.id}`, 'shows why')
  },
}

async function showOne(context: Context, approval: Approval): Promise<void> {
  await context.fields([
    ['id', approval.id],
    ['status', approval.status],
    ['kind', approval.kind],
    ['at', when(approval.at)],
    ['subject', `${approval.subject.type} ${approval.subject.id}`],
    ['summary', approval.summary],
    ['reasoning', approval.reasoning],
    ['decided', when(approval.resolved_at)],
    ['by', approval.resolved_by],
  ])
}

const show: Command = {
  name: 'approvals show',
  group: 'Decide',
  summary: 'one decision: what, why and how much',
  args: [{ name: 'id' }],
  examples: [['vendops approvals show dec-1789000000000-1', 'read before you decide']],
  async run(context, given) {
    const answer = await context.client.getApproval({ params: { id: given.arg('id') } })
    await context.data(answer)
    await showOne(context, answer)
    context.messages(answer.messages)
    if (answer.status === 'pending') context.next(`approvals approve ${answer.id}`, 'or: approvals reject')
    else context.next('approvals', 'shows what else waits')
  },
}

const AFTER: Readonly<Record<Approval['subject']['type'], (id: string) => readonly [string, string]>> = {
  checkout: (id) => [`checkout complete ${id}`, 'buys it; approving alone does not'],
  replenishment_run: (id) => [`runs place ${id}`, 'hands the run to the supplier'],
  price_change: () => ['events --kind price_change', 'tells whether the machine took the prices'],
  slot: () => ['events', 'shows what happened'],
}

const decide = (name: 'approve' | 'reject', summary: string, does: string): Command => ({
  name: `approvals ${name}`,
  group: 'Decide',
  summary,
  args: [{ name: 'id' }],
  examples: [[`vendops approvals ${name} dec-1789000000000-1`, does]],
  async run(context, given) {
    const answer = await context.client.resolveApproval({
      params: { id: given.arg('id') },
      body: { approved: name === 'approve' },
    })
    await context.data(answer)
    await context.say([`${answer.id} is ${answer.status}: ${plain(answer.summary)}`])
    context.messages(answer.messages)
    const { type, id } = answer.subject
    if (answer.approved) context.next(...AFTER[type](id))
    else context.next('approvals', 'shows what else waits')
    return exitOfMessages(answer.messages)
  },
})

export const APPROVALS: readonly Command[] = [
  list,
  show,
  decide('approve', 'say yes to a decision', 'its subject moves on; a price change is made at once'),
  decide('reject', 'say no to a decision', 'its subject is given up'),
]
