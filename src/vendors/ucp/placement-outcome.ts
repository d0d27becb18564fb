/** What an attempt to buy says about its order, in each way it can end. */
import { fen } from '../../kernel/fen.ts'
import type { Failure, Result } from '../contract.ts'
import { fail, failForCertain, succeed, failForPerson } from '../result.ts'
import type { SupplyPlacement } from '../supply-vendor.ts'
import type { MerchantSession } from './merchant-session.ts'
import type { OrderRecord } from './order-record.ts'
import { failureOfErrors } from './refusals.ts'

export const BEING_PLACED = fail('unknown', 'The order is being placed', { raw: 'preparing' })
export const STOPPED = fail('unsent', 'Another instance has stopped this attempt', { raw: 'stopped' })
/** It says nothing about whether the order was bought before, and nobody but a person can find out. */
export const SESSION_GONE = failForPerson('The merchant no longer knows the session', 'gone')
export const IN_PROGRESS = fail('unknown', 'The merchant is still working on the order', {
  raw: 'complete_in_progress',
})
export const NO_NUMBER = fail('unknown', 'The merchant completed the session and states no order', {
  raw: 'no order id',
})

/** A failure to close an earlier session: it stays as open as it was, and nothing new was bought. */
export const failNotClosed = (result: Result<MerchantSession>): Failure =>
  fail('unsent', 'An earlier attempt could not be closed at the merchant, so nothing was bought', {
    raw: result.ok ? result.value.status : result.raw,
  })

export const toPlacement = ({ orderId = '', totalFen }: OrderRecord): Result<SupplyPlacement> =>
  succeed({ externalRef: orderId, ...(totalFen !== undefined && { totalFen: fen(totalFen) }) })

/** What the reply to the request that buys says. */
export function outcomeOf(bought: Result<MerchantSession>): Result<SupplyPlacement> {
  if (!bought.ok) return bought
  const { status, orderId, totals, errors, continueUrl } = bought.value
  if (status === 'completed') {
    if (orderId === undefined) return NO_NUMBER
    return succeed({ externalRef: orderId, ...(totals && { totalFen: totals.total }) })
  }
  if (status === 'complete_in_progress') return IN_PROGRESS
  if (status === 'requires_escalation' && continueUrl !== undefined)
    return succeed({ externalRef: bought.value.id, handoff: continueUrl })
  // It stands as it was, and the merchant says why.
  if (errors.length > 0) return { ...failureOfErrors(errors), documented: true }
  if (status === 'canceled') return failForCertain('The merchant canceled the session')
  return fail('unknown', 'The merchant neither completed nor declined the order', { raw: status })
}
