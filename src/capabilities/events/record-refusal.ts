/**
 * Events of refused requests. A caller that repeats a refused request would otherwise fill the log, so identical refusals
 * of one caller within a minute are one event that counts them.
 */
import { hash } from 'node:crypto'
import { currentCaller } from '../../kernel/caller.ts'
import { MINUTE } from '../../kernel/clock.ts'
import { callerColumns } from '../../store/caller-columns.ts'
import { toTextColumns } from '../../store/text-columns.ts'
import { afterCommit, hasUpdatedRows } from '../../store/store.ts'
import type { Context } from '../context.ts'
import type { NewEvent, ServiceEventKind } from './event.ts'
import { EVENTS_CHANNEL } from './records.ts'

type RefusalEvent = NewEvent & { readonly kind: ServiceEventKind }

export const recordRefusal = ({ store, clock }: Pick<Context, 'store' | 'clock'>, event: RefusalEvent): Promise<void> =>
  store.transaction(async (tx) => {
    const { kind, summary, reasoning, location } = event
    const now = clock.now()
    const caller = currentCaller()
    const same = hash('sha256', JSON.stringify([kind, location, summary, reasoning, caller?.by, caller?.agent]), 'hex')
    const minute = Math.floor(now / MINUTE)
    const key = `${minute} ${same}`
    const counted = await tx
      .updateTable('event')
      .set((at) => ({ occurrences: at('occurrences', '+', 1) }))
      .where('fold_key', 'in', [key, `${minute - 1} ${same}`])
      .where('stored_at', '>', now - MINUTE)
      .executeTakeFirst()
    if (hasUpdatedRows(counted)) return
    await tx
      .insertInto('event')
      .values({
        stored_at: now,
        occurred_at: now,
        kind,
        summary,
        reasoning,
        ...toTextColumns(event),
        location: location ?? null,
        fold_key: key,
        ...callerColumns(),
      })
      // Another transaction wrote the same refusal a moment ago.
      .onConflict((conflict) =>
        conflict
          .column('fold_key')
          .where('fold_key', 'is not', null)
          .doUpdateSet((at) => ({ occurrences: at('event.occurrences', '+', 1) })),
      )
      .execute()
    afterCommit(tx, () => store.notify(EVENTS_CHANNEL))
  })
