/**
 * A sale and its later changes. They are all drawn when the sale is created (when the platform lists it, when it settles,
 * whether it is refunded), so its status is a function of the sale and the time.
 */
import { DAY, HOUR, MINUTE, SECOND } from '../../kernel/clock.ts'
import type { SimulatedProduct } from './products.ts'
import { localText } from './local-time.ts'
import type { MachineSpec } from './machines.ts'
import type { Random } from './random.ts'

export const PAY_STATUS = { unpaid: 0, paid: 1, refunded: 3, refundFailed: 4, cancelled: 9 } as const
export type PayStatus = (typeof PAY_STATUS)[keyof typeof PAY_STATUS]

export type SaleStatus = 'TRADE_SUCCESS' | 'TRADE_SUCCESS_MANUAL' | 'TRADE_PROCESSING' | 'TRADE_CLOSED' | 'TRADE_REFUND'

/** What becomes of a unit; all but the first three are dispensed. */
export type Fate = 'cancelled' | 'never paid' | 'jammed' | 'returned' | 'refund failed' | 'sold'

export type Sale = Readonly<ReturnType<typeof makeSale>>
type SaleUnit = Readonly<Sale['units'][number]>

/** The longest delay before a sale is listed: a reader with this overlap misses none. */
export const LATEST_SHOWN = 14 * MINUTE

export const isDispensed = (fate: Fate): boolean => fate !== 'cancelled' && fate !== 'never paid' && fate !== 'jammed'

export function makeSale(
  random: Random,
  machine: MachineSpec,
  at: number,
  wanted: readonly { readonly product: SimulatedProduct; readonly priceFen: number }[],
) {
  const roll = random.next()
  const commonFate: Fate | undefined = roll < 0.015 ? 'cancelled' : roll < 0.022 ? 'never paid' : undefined
  const late = random.happens(0.06)
  const slow = random.happens(0.05)
  return {
    // A machine serves at most one shopper per second, so second and machine make the number unique.
    tradeNo: `T${localText(at).replaceAll(/\D/g, '')}${String(machine.index + 1).padStart(4, '0')}`,
    machine,
    at,
    /** The platform does not list it before this. */
    shownAt: at + (late ? random.between(2 * MINUTE, LATEST_SHOWN) : random.between(0, 15 * SECOND)),
    /** Unpaid and in progress until this. */
    settlesAt: at + (commonFate === 'never paid' ? DAY : slow ? random.between(2 * MINUTE, 45 * MINUTE) : 0),
    /** When it is refunded, if it is. */
    refundAt: at + random.between(MINUTE, 20 * HOUR),
    manual: random.happens(0.3),
    /** The platform lost its time; the sale keeps its position in the list. */
    timeLost: random.happens(1 / 2000),
    units: wanted.map(({ product, priceFen }) => ({
      product,
      priceFen,
      costFen: reportedCostOf(product, priceFen),
      fate: commonFate ?? unitFate(random.next()),
    })),
  }
}

const unitFate = (roll: number): Fate =>
  roll < 0.012 ? 'jammed' : roll < 0.018 ? 'returned' : roll < 0.021 ? 'refund failed' : 'sold'

function reportedCostOf(product: SimulatedProduct, priceFen: number): number | null {
  const reported = product.machine?.reportedCost
  return reported === 'cost' ? product.costFen : reported === 'price' ? priceFen : null
}

export function payStatusAt(sale: Sale, unit: SaleUnit, now: number): PayStatus {
  if (unit.fate === 'cancelled') return PAY_STATUS.cancelled
  if (unit.fate === 'never paid' || now < sale.settlesAt) return PAY_STATUS.unpaid
  if (unit.fate === 'sold' || now < Math.max(sale.refundAt, sale.settlesAt)) return PAY_STATUS.paid
  return unit.fate === 'refund failed' ? PAY_STATUS.refundFailed : PAY_STATUS.refunded
}

export function saleStatusAt(sale: Sale, now: number): SaleStatus {
  if (sale.units.every((unit) => unit.fate === 'cancelled')) return 'TRADE_CLOSED'
  if (now < sale.settlesAt) return 'TRADE_PROCESSING'
  if (sale.units.every((unit) => unit.fate === 'never paid')) return 'TRADE_CLOSED'
  if (sale.units.every((unit) => payStatusAt(sale, unit, now) === PAY_STATUS.refunded)) return 'TRADE_REFUND'
  return sale.manual ? 'TRADE_SUCCESS_MANUAL' : 'TRADE_SUCCESS'
}

export const isSettled = (status: SaleStatus): boolean =>
  status === 'TRADE_SUCCESS' || status === 'TRADE_SUCCESS_MANUAL'
