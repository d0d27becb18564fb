/** Messages that vendors sent us: kept as they came until they are processed. */
import type { Namespace } from '../../kernel/ids.ts'
import { type Queryable, changeRows, readAll } from '../../store/store.ts'

export interface InboundMessage {
  readonly namespace: Namespace
  readonly id: string
  readonly receivedAt: number
  /** The vendor's numbers. */
  readonly orders: readonly string[]
}

/** False: it was received before. */
export const insertInbound = (
  db: Queryable,
  { namespace, id, receivedAt, orders }: InboundMessage,
  body: string,
): Promise<boolean> =>
  changeRows(
    db
      .insertInto('inbound_message')
      .values({ namespace, id, received_at: receivedAt, orders: JSON.stringify(orders), body, processed_at: null })
      .onConflict((conflict) => conflict.columns(['namespace', 'id']).doNothing()),
  )

export async function countWaitingInbound(db: Queryable, namespace: Namespace): Promise<number> {
  const { waiting } = await db
    .selectFrom('inbound_message')
    .select((eb) => eb.fn.countAll<number>().as('waiting'))
    .where('namespace', '=', namespace)
    .where('processed_at', 'is', null)
    .executeTakeFirstOrThrow()
  return waiting
}

/** The oldest first. */
export const listWaitingInbound = (db: Queryable, limit: number): Promise<InboundMessage[]> =>
  readAll(
    db
      .selectFrom('inbound_message')
      .select(['namespace', 'id', 'received_at', 'orders'])
      .where('processed_at', 'is', null)
      .orderBy('received_at')
      .limit(limit),
    ({ namespace, id, received_at: receivedAt, orders }) => ({
      namespace: namespace as Namespace,
      id,
      receivedAt,
      orders: JSON.parse(orders) as readonly string[],
    }),
  )

/** The body is no longer needed. */
export async function endInbound(db: Queryable, { namespace, id }: InboundMessage, now: number): Promise<void> {
  await db
    .updateTable('inbound_message')
    .set({ processed_at: now, body: null })
    .where('namespace', '=', namespace)
    .where('id', '=', id)
    .execute()
}

/** What was processed before then: a message that is older is refused by its time. */
export async function removeOldInbound(db: Queryable, before: number): Promise<void> {
  await db.deleteFrom('inbound_message').where('processed_at', '<', before).execute()
}
