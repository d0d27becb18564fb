/** A slot and a machine about which nothing is known but what a test states. */
import type { PlanSlot, MachineInput, SlotInput } from './input.ts'

/**
 * The worked cases were made for orders of `cover_days` into the room of now, for small machines of fewer than five slots,
 * and for rates of the window alone.
 */
export const WORKED_PARAMS = {
  cover_rule: 'days',
  room_lead_share: 0,
  top_up: false,
  one_visit_at_a_time: false,
  small_machine_slots: 5,
  look_back_days: 0,
} as const

export type PlannedSlot = SlotInput & PlanSlot

export const slotInput = (slotId: string, over: Partial<PlannedSlot> = {}): PlannedSlot => ({
  slotId,
  sku: slotId,
  priceFen: 500,
  stock: 5,
  capacity: 20,
  locked: false,
  isInTransit: false,
  firstSeenAt: null,
  sales: { at: new Float64Array(0) },
  receipts: [],
  readings: [],
  ...over,
})

export const machineInput = (slots: readonly SlotInput[], over: Partial<MachineInput> = {}): MachineInput => ({
  location: 'm',
  zone: { timeZone: 'Asia/Shanghai' },
  ledgerFrom: null,
  slots,
  ...over,
})
