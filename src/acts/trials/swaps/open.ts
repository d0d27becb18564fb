/** A product goes on trial in a slot: from the moment the swap is accepted, judged once the driver has made it. */
import { createHash } from 'node:crypto'
import { DAY } from '../../../kernel/clock.ts'
import { type LocationId, type SkuId, type SlotId, slotIdOf, vendorSkuOf } from '../../../kernel/ids.ts'
import type { Tx } from '../../../store/store.ts'
import type { Estimate } from '../measure/effect.ts'
import { type Member, type NewTrial, type SwapMember, type TrialProduct, insertTrial } from '../records.ts'
import type { CountDays, RouteSlot } from '../route.ts'

/** Days before the trial that are compared: more than for a price, as the product was chosen for selling little. */
export const SWAP_DAYS_BEFORE = 56
/** Fewer units in other machines say too little about the season. */
const CONTROL_UNITS_MIN = 8
const CONTROLS_MAX = 20

export interface NewSwapTrial {
  readonly slotId: SlotId
  readonly location: LocationId
  readonly locationName: string
  readonly venueType: string | undefined
  readonly product: TrialProduct
  readonly category: string | undefined
  /** Mean price where it is sold. */
  readonly priceFen: number
  readonly replaced: TrialProduct
  readonly swap: Omit<SwapMember, 'before'>
  readonly expected: Estimate
  readonly decision: string
}

/** False: the slot has an open trial. */
export function openSwapTrial(
  tx: Tx,
  now: number,
  given: NewSwapTrial,
  route: readonly RouteSlot[],
  countDays: CountDays,
): Promise<boolean> {
  const { slotId, location, locationName, product, replaced, priceFen, decision } = given
  const comparableFrom = now - SWAP_DAYS_BEFORE * DAY
  const treated: Member = {
    location,
    locationName,
    slotId: slotIdOf(location, vendorSkuOf(product.sku)),
    role: 'treated',
    priceFen,
    costFen: 0,
    state: 'planned',
    comparableFrom,
    decision,
    swap: { ...given.swap, before: countDays(slotId, comparableFrom, now) },
  }
  const trial: NewTrial = {
    // A slot has one open trial, so no two begin at the same instant.
    id: `trial-${now}-${createHash('sha256').update(slotId).digest('hex').slice(0, 8)}`,
    kind: 'swap',
    status: 'starting',
    sku: product.sku,
    title: product.title,
    category: given.category,
    venueType: given.venueType,
    slotId,
    replaced,
    stepFen: 0,
    members: [treated, ...chooseControls(route, slotId, location, replaced.sku).map(toControl(comparableFrom))],
    expected: given.expected,
    createdAt: now,
    dueAt: now,
  }
  return insertTrial(tx, trial)
}

/** The replaced product in other machines; where they sell too little, the other products of the machine. */
export function chooseControls(
  route: readonly RouteSlot[],
  slotId: string,
  location: string,
  replaced: SkuId,
): readonly RouteSlot[] {
  const free = route.filter((slot) => !slot.isFixed && slot.days > 0 && slot.slotId !== slotId)
  const elsewhere = free.filter(({ sku }) => sku === replaced)
  const units = elsewhere.reduce((total, slot) => total + slot.units, 0)
  const chosen = units >= CONTROL_UNITS_MIN ? elsewhere : free.filter((slot) => slot.location === location)
  return chosen.toSorted((a, b) => b.units - a.units || (a.slotId < b.slotId ? -1 : 1)).slice(0, CONTROLS_MAX)
}

const toControl =
  (comparableFrom: number) =>
  ({ location, locationName, slotId, priceFen }: RouteSlot): Member => ({
    location,
    locationName,
    slotId,
    role: 'control',
    priceFen,
    costFen: 0,
    state: 'changed',
    comparableFrom,
  })
