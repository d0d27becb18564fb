/**
 * Events of refused requests. Identical refusals of one caller within a minute are one event with a count, so that a
 * caller that keeps repeating a refused request does not fill the log.
 */
import { hash } from 'node:crypto'
import { currentCaller } from '../../kernel/caller.ts'
import { MINUTE } from '../../kernel/clock.ts'
import type { WriteContext } from '../context.ts'
import type { OwnEvent } from './event.ts'
import { countRepeatedRefusal, insertRefusal } from './records.ts'

export const recordRefusal = (ctx: WriteContext, event: OwnEvent): Promise<void> =>
  ctx.store.transaction(async (tx) => {
    const { kind, summary, reasoning, location } = event
    const now = ctx.clock.now()
    const caller = currentCaller()
    const same = hash(
      'sha256',
      JSON.stringify([kind, location, summary, reasoning, caller?.by?.name, caller?.agent]),
      'hex',
    )
    const minute = Math.floor(now / MINUTE)
    const foldKey = `${minute} ${same}`
    if (await countRepeatedRefusal(tx, [foldKey, `${minute - 1} ${same}`], now - MINUTE)) return
    await insertRefusal(ctx, tx, event, foldKey, now)
  })
