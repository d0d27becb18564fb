/** Looks once a minute for entries of the no-go list that match nothing known, so that a misspelt one is noticed. */
import { setTimeout as wait } from 'node:timers/promises'
import { MINUTE } from '../../kernel/clock.ts'
import type { Context } from '../context.ts'
import { unmatchedNoGos } from './no-gos.ts'
import type { ProductDescription } from './no-gos.ts'

/** Undefined while not all products are known. */
export type KnownProducts = () => Promise<AsyncIterable<ProductDescription> | undefined>

const CHECKED_EVERY_MS = MINUTE
/** The rules must be readable while a supplier is slow. */
const WAIT_MS = 1000

type Unmatched = readonly string[] | undefined

/** Undefined when it is not known in time; the check goes on, and a later call has its answer. */
export function noGoChecker({ clock, log }: Pick<Context, 'clock' | 'log'>, knownProducts: KnownProducts) {
  let last: { readonly list: readonly string[]; readonly at: number; readonly found: Promise<Unmatched> } | undefined

  const check = async (list: readonly string[]): Promise<Unmatched> => {
    try {
      const products = await knownProducts()
      return products && (await unmatchedNoGos(list, products))
    } catch (failure) {
      log.warn({ err: failure }, 'the no-go list could not be compared with the known products')
      return undefined
    }
  }

  return (list: readonly string[]): Promise<Unmatched> => {
    const now = clock.elapsed()
    if (last?.list !== list || now - last.at >= CHECKED_EVERY_MS) last = { list, at: now, found: check(list) }
    return Promise.race([last.found, wait(WAIT_MS, undefined, { ref: false })])
  }
}
