/** A visit while it is entered: kept on the device with every press, so that a reload loses nothing. */
import type { RemovalReason, ServiceRequest, StopReceiveRequest } from '../../../../contract/shapes/service.ts'
import type { CurrencyCode } from '../../../../kernel/currency.ts'
import { type TypedAmount, readTypedAmount } from '../../../../kernel/typed-amount.ts'
import { type Came, loadsOf } from '../../runs/run-line.ts'
import type { TypedCount } from '../../storeroom/storeroom.ts'
import type { DaySlot } from './day.ts'

/** Good units go back to the store room; the others are lost. */
export type TakenOutBecause = RemovalReason | 'returned'

interface TakenOut {
  readonly quantity: number
  readonly reason: TakenOutBecause
  /** What it becomes in the store room, where somebody chose. */
  readonly item?: string
}

export interface Draft {
  readonly id: string
  readonly person: string
  /** Units found on arrival; a slot that is left out was not counted. */
  readonly counted: Readonly<Record<string, number>>
  /** Units loaded, where they differ from what the run brings. */
  readonly filled: Readonly<Record<string, number>>
  readonly removed: Readonly<Record<string, TakenOut>>
  readonly note: string
  /** Cash that was collected, as typed, and its bag. */
  readonly cash?: string
  readonly bag?: string
  /** Pressed: every slot got what the run brings, as far as it fits. */
  readonly isFilledAsPlanned?: boolean
  /** Lanes that have their new product. */
  readonly lanes?: readonly string[]
  /** What the delivery of the run brought, where it was not what was ordered: as typed, by product. */
  readonly came?: Readonly<Record<string, TypedCount>>
  /** When the visit was made, where an entry of then is corrected. */
  readonly at?: string
  /** What does not work at the machine. */
  readonly fault?: string
  /** A picture as a data URL. */
  readonly photo?: string
}

/** The slots with what came for them: the first ones get what is too little for all. */
export function slotsWith(slots: readonly DaySlot[], came: Came | undefined): readonly DaySlot[] {
  if (came === undefined) return slots
  const units = loadsOf(
    slots.flatMap(({ id: slot, source, stored, quantity }) =>
      quantity === undefined ? [] : [{ slot, source, stored, units: quantity }],
    ),
    came,
  )
  return slots.map((slot) => (slot.quantity === undefined ? slot : { ...slot, quantity: units.get(slot.id) ?? 0 }))
}

export const REASONS: readonly RemovalReason[] = ['expired', 'damaged', 'recalled', 'other']
/** Where a store room is kept. */
export const REASONS_WITH_STOREROOM: readonly TakenOutBecause[] = [
  'expired',
  'damaged',
  'returned',
  'recalled',
  'other',
]

const QUANTITY_MAX = 9999

export const draftId = (person: string, location: string, run: string | undefined): string =>
  `${person} ${run ?? '-'} ${location}`

export const emptyDraft = (id: string, person: string): Draft => ({
  id,
  person,
  counted: {},
  filled: {},
  removed: {},
  note: '',
})

const clamp = (n: number): number => Math.min(QUANTITY_MAX, Math.max(0, n))

/** `undefined` takes the count back. */
export function setCounted(draft: Draft, slot: string, n: number | undefined): Draft {
  const { [slot]: _before, ...counted } = draft.counted
  return { ...draft, counted: n === undefined ? counted : { ...counted, [slot]: clamp(n) } }
}

/** Every slot whose stock is known is as expected, except those already counted. */
export const countAllAsExpected = (draft: Draft, slots: readonly DaySlot[]): Draft => ({
  ...draft,
  counted: {
    ...Object.fromEntries(slots.flatMap(({ id, stock }) => (stock === undefined ? [] : [[id, stock]]))),
    ...draft.counted,
  },
})

/** What is in the slot before it is filled; undefined where nobody knows. */
function levelBefore(draft: Draft, slot: DaySlot): number | undefined {
  const before = draft.counted[slot.id] ?? slot.stock
  return before === undefined ? undefined : Math.max(0, before - (draft.removed[slot.id]?.quantity ?? 0))
}

/** What was loaded; where nobody said, what the run brings, as far as it fits. */
export function filledOf(draft: Draft, slot: DaySlot): number {
  const { id, quantity = 0, capacity } = slot
  const before = levelBefore(draft, slot)
  const fitting = capacity === undefined || before === undefined ? quantity : Math.max(0, capacity - before)
  return draft.filled[id] ?? Math.min(quantity, fitting)
}

export const setFilled = (draft: Draft, slot: string, n: number): Draft => ({
  ...draft,
  filled: { ...draft.filled, [slot]: clamp(n) },
})

export function setRemoved(draft: Draft, slot: string, n: number, reason?: TakenOutBecause): Draft {
  const { [slot]: before, ...removed } = draft.removed
  if (n <= 0) return { ...draft, removed }
  const line = { ...before, quantity: clamp(n), reason: reason ?? before?.reason ?? 'expired' }
  return { ...draft, removed: { ...removed, [slot]: line } }
}

/** Of a slot that is taken out: what its units become in the store room. */
export function setReturnedItem(draft: Draft, slot: string, item: string): Draft {
  const line = draft.removed[slot]
  return line ? { ...draft, removed: { ...draft.removed, [slot]: { ...line, item } } } : draft
}

/** As chosen, else what the last delivery brought; undefined where nobody knows, or where there is no choice. */
export const returnedItemOf = (draft: Draft, { id, takeBack }: DaySlot): string | undefined =>
  takeBack?.items.find((item) => item.id === draft.removed[id]?.item)?.id ?? takeBack?.last_loaded

/** Slots of which somebody has to say what their units become. */
export const slotsToChoose = (draft: Draft, slots: readonly DaySlot[]): readonly DaySlot[] =>
  slots.filter(
    (slot) =>
      slot.takeBack && draft.removed[slot.id]?.reason === 'returned' && returnedItemOf(draft, slot) === undefined,
  )

/** What is in the slot after the visit; undefined where nobody knows what was in it. */
export function levelAfter(draft: Draft, slot: DaySlot): number | undefined {
  const before = levelBefore(draft, slot)
  return before === undefined ? undefined : before + filledOf(draft, slot)
}

export const sumOf = (values: readonly number[]): number => values.reduce((sum, n) => sum + n, 0)

/** What was typed as collected cash; undefined where nothing was, or in which currency is not known. */
export const cashOf = ({ cash = '' }: Draft, currency: CurrencyCode | undefined): TypedAmount | undefined =>
  cash.trim() === '' || currency === undefined ? undefined : readTypedAmount(cash, currency)

function cashRequest(draft: Draft, currency: CurrencyCode | undefined): Pick<ServiceRequest, 'cash'> {
  const read = cashOf(draft, currency)
  const bag = draft.bag?.trim() ?? ''
  return read?.ok ? { cash: { amount: read.amount, ...(bag === '' ? {} : { bag }) } } : {}
}

/** The request of a draft. Counts are what was found on arrival, before anything was taken out or loaded. */
export function requestOf(
  draft: Draft,
  slots: readonly DaySlot[],
  run: string | undefined,
  currency?: CurrencyCode,
  came?: Came,
) {
  const taken = Object.entries(draft.removed)
  const removed = taken.flatMap(([slot_id, { quantity, reason }]) =>
    reason === 'returned' ? [] : [{ slot_id, quantity, reason }],
  )
  const slotOf = new Map(slots.map((slot) => [slot.id, slot]))
  const returned = taken.flatMap(([slot_id, { quantity, reason }]) => {
    const slot = slotOf.get(slot_id)
    const item = slot && returnedItemOf(draft, slot)
    return reason === 'returned' ? [{ slot_id, quantity, ...(item === undefined ? {} : { item: { id: item } }) }] : []
  })
  const counted = Object.entries(draft.counted).map(([slot_id, stock]) => ({
    slot_id,
    stock,
    when: 'arrival' as const,
  }))
  const note = draft.note.trim()
  const work: ServiceRequest = {
    ...(removed.length > 0 ? { removed } : {}),
    ...(returned.length > 0 ? { returned } : {}),
    ...(counted.length > 0 ? { counted } : {}),
    ...cashRequest(draft, currency),
    ...(note ? { note } : {}),
  }
  if (run === undefined) return work
  const delivered = slots
    .filter(({ quantity }) => quantity !== undefined)
    .map((slot) => ({ slot_id: slot.id, quantity: filledOf(draft, slot) }))
  const { lanes: lanes_changed = [] } = draft
  return {
    delivered,
    ...work,
    ...(came && { came: [...came] }),
    ...(lanes_changed.length > 0 && { lanes_changed: [...lanes_changed] }),
  } satisfies StopReceiveRequest
}

/**
 * False while nothing was counted, filled or taken out: then a visit says nothing, and a run must not be booked by it. Cash
 * alone is a visit without a run.
 */
export const hasContent = (
  { counted, filled, removed, isFilledAsPlanned = false, cash = '', came }: Draft,
  run?: string,
): boolean =>
  isFilledAsPlanned ||
  (run !== undefined && came !== undefined) ||
  (run === undefined && cash.trim() !== '') ||
  [counted, filled, removed].some((entered) => Object.keys(entered).length > 0)

/** Something to report besides the visit. It goes by itself: neither books a run. */
export const hasReport = ({ fault = '', photo }: Draft): boolean => fault.trim() !== '' || photo !== undefined
