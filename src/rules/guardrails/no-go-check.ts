/** Finds entries of the no-go list that match no known product, so that a misspelt one is noticed; at most once a minute. */
import { setTimeout as wait } from 'node:timers/promises'
import { MINUTE } from '../../kernel/clock.ts'
import type { Context } from '../../context.ts'
import { type NoGos, type ProductDescription, findUnmatchedNoGos } from './no-gos.ts'

/** Undefined while not all products are known. */
export type KnownProducts = () => Promise<AsyncIterable<ProductDescription> | undefined>

const CHECKED_EVERY_MS = MINUTE
/** The rules must be readable while a supplier is slow. */
const WAIT_MS = 1000

type Unmatched = readonly string[] | undefined

/** Undefined when it is not known in time; the check continues, and a later call gets its result. */
export function noGoChecker({ clock, log }: Pick<Context, 'clock' | 'log'>, knownProducts: KnownProducts) {
  let last: { readonly noGos: NoGos; readonly at: number; readonly found: Promise<Unmatched> } | undefined

  const check = async (noGos: NoGos): Promise<Unmatched> => {
    try {
      const products = await knownProducts()
      return products && (await findUnmatchedNoGos(noGos, products))
    } catch (failure) {
      log.warn({ err: failure }, 'The no-go list could not be compared with the known products')
      return undefined
    }
  }

  return (noGos: NoGos): Promise<Unmatched> => {
    const now = clock.elapsed()
    if (last?.noGos !== noGos || now - last.at >= CHECKED_EVERY_MS) last = { noGos, at: now, found: check(noGos) }
    return Promise.race([last.found, wait(WAIT_MS, undefined, { ref: false })])
  }
}
