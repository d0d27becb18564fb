/**
 * Keeps the marker file of this instance in step with the database: at start, before anything is served or sent, and
 * then every two seconds. A job would run on one instance only, and each instance has a marker of its own.
 */
import { StoreUnavailable } from '../../store/unavailable.ts'
import type { Context } from '../../context.ts'
import { reconcileMarker } from './kill-switch.ts'
import { MARKER_NOT_WRITTEN } from './texts.ts'

const PERIOD_MS = 2000

/** Resolves after the first comparison; rejects when the database cannot be read or written. */
export async function keepMarker(ctx: Pick<Context, 'store' | 'clock' | 'log'>) {
  let lastLogged: string | undefined
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  /** The same failure returns every two seconds, so it is logged once. */
  function logOnce(err: unknown, sentence: string): void {
    if (String(err) !== lastLogged) ctx.log.error({ err }, sentence)
    lastLogged = String(err)
  }
  const reconcile = () => reconcileMarker(ctx, (err) => logOnce(err, MARKER_NOT_WRITTEN))

  let running = reconcile()
  await running
  const waitAndRepeat = () => {
    if (isStopped) return
    timer = setTimeout(() => {
      running = reconcile()
        .catch((err: unknown) => {
          // Reported by /readyz and by everything else that needs the database.
          if (!(err instanceof StoreUnavailable)) logOnce(err, 'The marker file could not be compared')
        })
        .finally(waitAndRepeat)
    }, PERIOD_MS)
    timer.unref()
  }
  waitAndRepeat()
  return {
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}
