/**
 * A trade and its later life. Its whole future is drawn when it is made (when the platform shows it, when it settles,
 * whether money goes back), so what the platform says at any moment is a function of the trade and that moment.
 */
import { DAY, HOUR, MINUTE, SECOND } from '../../kernel/clock.ts'
import type { SimulatedProduct } from './products.ts'
import { localText } from './local-time.ts'
import type { MachineSpec } from './machines.ts'
import type { Random } from './random.ts'

export const PAY_STATUS = { unpaid: 0, paid: 1, refunded: 3, refundFailed: 4, cancelled: 9 } as const
export type PayStatus = (typeof PAY_STATUS)[keyof typeof PAY_STATUS]

export type TradeStatus =
  | 'TRADE_SUCCESS'
  | 'TRADE_SUCCESS_MANUAL'
  | 'TRADE_PROCESSING'
  | 'TRADE_CLOSED'
  | 'TRADE_REFUND'

/** How a unit ends; all but the first three leave the shelf. */
export type Fate = 'cancelled' | 'never paid' | 'jammed' | 'returned' | 'refund failed' | 'sold'

export interface TradeUnit {
  readonly good: SimulatedProduct
  readonly priceFen: number
  readonly costFen: number | null
  readonly fate: Fate
}

export interface Trade {
  readonly tradeNo: string
  readonly machine: MachineSpec
  readonly at: number
  /** The platform does not show it before this. */
  readonly shownAt: number
  /** Unpaid and in progress until here. */
  readonly settlesAt: number
  /** Money goes back here, where it does. */
  readonly refundAt: number
  readonly manual: boolean
  /** The platform lost its time; the trade keeps its place in the list. */
  readonly timeLost: boolean
  readonly units: readonly TradeUnit[]
}

/** The longest a trade may stay unseen: whoever reads with this overlap misses none. */
export const LATEST_SHOWN = 14 * MINUTE

export const leavesShelf = (fate: Fate): boolean => fate !== 'cancelled' && fate !== 'never paid' && fate !== 'jammed'

export function makeTrade(
  random: Random,
  machine: MachineSpec,
  at: number,
  wanted: readonly { readonly good: SimulatedProduct; readonly priceFen: number }[],
): Trade {
  const roll = random.next()
  const whole: Fate | undefined = roll < 0.015 ? 'cancelled' : roll < 0.022 ? 'never paid' : undefined
  const late = random.chance(0.06)
  const slow = random.chance(0.05)
  return {
    // A machine serves one shopper a second, so second and machine make the number unique whoever is asked first.
    tradeNo: `T${localText(at).replaceAll(/\D/g, '')}${String(machine.index + 1).padStart(4, '0')}`,
    machine,
    at,
    shownAt: at + (late ? random.between(2 * MINUTE, LATEST_SHOWN) : random.between(0, 15 * SECOND)),
    settlesAt: at + (whole === 'never paid' ? DAY : slow ? random.between(2 * MINUTE, 45 * MINUTE) : 0),
    refundAt: at + random.between(MINUTE, 20 * HOUR),
    manual: random.chance(0.3),
    timeLost: random.chance(1 / 2000),
    units: wanted.map(({ good, priceFen }) => ({
      good,
      priceFen,
      costFen: costTold(good, priceFen),
      fate: whole ?? unitFate(random.next()),
    })),
  }
}

const unitFate = (roll: number): Fate =>
  roll < 0.012 ? 'jammed' : roll < 0.018 ? 'returned' : roll < 0.021 ? 'refund failed' : 'sold'

function costTold(good: SimulatedProduct, priceFen: number): number | null {
  const told = good.machine?.costTold
  return told === 'cost' ? good.costFen : told === 'price' ? priceFen : null
}

export function payStatusAt(trade: Trade, unit: TradeUnit, now: number): PayStatus {
  if (unit.fate === 'cancelled') return PAY_STATUS.cancelled
  if (unit.fate === 'never paid' || now < trade.settlesAt) return PAY_STATUS.unpaid
  if (unit.fate === 'sold' || now < Math.max(trade.refundAt, trade.settlesAt)) return PAY_STATUS.paid
  return unit.fate === 'refund failed' ? PAY_STATUS.refundFailed : PAY_STATUS.refunded
}

export function tradeStatusAt(trade: Trade, now: number): TradeStatus {
  if (trade.units.every((unit) => unit.fate === 'cancelled')) return 'TRADE_CLOSED'
  if (now < trade.settlesAt) return 'TRADE_PROCESSING'
  if (trade.units.every((unit) => unit.fate === 'never paid')) return 'TRADE_CLOSED'
  if (trade.units.every((unit) => payStatusAt(trade, unit, now) === PAY_STATUS.refunded)) return 'TRADE_REFUND'
  return trade.manual ? 'TRADE_SUCCESS_MANUAL' : 'TRADE_SUCCESS'
}

export const isSettled = (status: TradeStatus): boolean =>
  status === 'TRADE_SUCCESS' || status === 'TRADE_SUCCESS_MANUAL'
