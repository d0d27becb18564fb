/** A merchant's totals as ours. Discounts lower the subtotal; kinds that we do not know are fees. Pure. */
import { fen } from '../../kernel/fen.ts'
import type { SupplyTotals } from '../supply-vendor.ts'
import { isFields } from '../upstream/read-json.ts'

const DISCOUNTS = new Set(['discount', 'items_discount'])

/** Undefined when they are not whole numbers, or do not add up: then it is not known what would be charged. */
export function readTotals(value: unknown): SupplyTotals | undefined {
  if (!Array.isArray(value)) return undefined
  const sums = new Map<string, number>()
  for (const entry of value) {
    if (!isFields(entry)) return undefined
    const { type, amount } = entry
    if (typeof type !== 'string' || !Number.isSafeInteger(amount)) return undefined
    if ((type === 'total' || type === 'subtotal') && sums.has(type)) return undefined
    // Merchants of the first version state discounts as positive amounts.
    const signed = DISCOUNTS.has(type) ? -Math.abs(amount as number) : (amount as number)
    sums.set(type, (sums.get(type) ?? 0) + signed)
  }
  const total = sums.get('total')
  if (total === undefined || !sums.has('subtotal')) return undefined
  const [fulfillment, tax] = [sums.get('fulfillment') ?? 0, sums.get('tax') ?? 0]
  let subtotal = 0
  let fee = 0
  for (const [type, amount] of sums) {
    if (type === 'subtotal' || DISCOUNTS.has(type)) subtotal += amount
    else if (type !== 'total' && type !== 'fulfillment' && type !== 'tax') fee += amount
  }
  const parts = [subtotal, fulfillment, tax, fee, total]
  if (parts.some((amount) => amount < 0 || !Number.isSafeInteger(amount))) return undefined
  if (subtotal + fulfillment + tax + fee !== total) return undefined
  return { subtotal: fen(subtotal), fulfillment: fen(fulfillment), tax: fen(tax), fee: fen(fee), total: fen(total) }
}
