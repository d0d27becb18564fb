/** Faults in our own code, put there on purpose: a simulator that cannot fail proves nothing. */
import { AndNode, OperationNodeTransformer, WhereNode } from 'kysely'
import type { KyselyPlugin, UpdateQueryNode } from 'kysely'
import type { Sabotage } from './schedule.ts'

/** Session updates no longer ask whether somebody else was first. */
class WithoutVersion extends OperationNodeTransformer {
  protected override transformUpdateQuery(node: UpdateQueryNode): UpdateQueryNode {
    const where = node.where?.where
    const onSession = JSON.stringify(node.table).includes('"checkout"')
    if (!onSession || !where || !AndNode.is(where)) return node
    return { ...node, where: WhereNode.create(where.left) }
  }
}

const blind = new WithoutVersion()
const claimWithoutLooking: KyselyPlugin = {
  transformQuery: ({ node }) => blind.transformNode(node),
  transformResult: async ({ result }) => result,
}

export const SABOTAGE: Readonly<Record<string, Sabotage>> = {
  'sessions are written without compare-and-set': { plugin: claimWithoutLooking },
  'an absent order is believed at once': { hurry: 1000 },
  'a refusal is believed without asking': { believesRefusals: true },
}
