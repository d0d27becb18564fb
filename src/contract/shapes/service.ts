/** What a person did at a machine: units loaded, taken out and counted, cash collected, with a run or without one. */
import { type Static, Type } from 'typebox'
import { Count, ENVELOPE, MINOR_UNITS, NullableNumber, SlotId, Timestamp } from '../common.ts'
import {
  BATCH_IDS_MAX,
  CASH_MAX,
  LINE_MAX,
  PHOTO_BYTES_MAX,
  QUANTITY_MAX,
  SERVICE_LINES_MAX,
  SKU_ID_MAX,
  SLOT_ID_MAX,
  SUMMARY_MAX,
  WORD_MAX,
} from '../limits.ts'
import { OrderDelivered } from './order.ts'
import { By } from './people.ts'
import { answer, list, oneOf, request, text } from '../schema-helpers.ts'

const Quantity = Type.Integer({ minimum: 0, maximum: QUANTITY_MAX })
const RemovalReason = oneOf(['expired', 'damaged', 'recalled', 'other'])
export type RemovalReason = Static<typeof RemovalReason>

const CountedWhen = oneOf(['arrival', 'end'], {
  description: '`arrival`: before anything was done; `end` (default): after.',
})
export type CountedWhen = Static<typeof CountedWhen>

export const ConfirmCount = Type.Optional(
  Type.Boolean({
    description: 'True: the count is right, though above the capacity or three times the highest level.',
  }),
)

const OccurredAt = Type.Optional(
  Type.String({
    format: 'date-time',
    description: 'When done, if earlier: at most 48 hours ago.',
  }),
)

const REMOVED = {
  slot_id: SlotId,
  quantity: Type.Integer({ minimum: 1, maximum: QUANTITY_MAX }),
  reason: RemovalReason,
}

const RETURNED = {
  slot_id: SlotId,
  quantity: Type.Integer({ minimum: 1, maximum: QUANTITY_MAX }),
  item: Type.Optional(
    request('ReturnedItem', {
      id: Type.String({
        minLength: 1,
        maxLength: SKU_ID_MAX,
        description: 'The supply product it becomes; required where several are linked.',
      }),
    }),
  ),
}

const WORK = {
  removed: Type.Optional(Type.Array(request('RemovedLine', REMOVED), { maxItems: SERVICE_LINES_MAX })),
  returned: Type.Optional(
    Type.Array(request('ReturnedLine', RETURNED), {
      maxItems: SERVICE_LINES_MAX,
      description: 'Good units that go back to the store room.',
    }),
  ),
  counted: Type.Optional(
    Type.Array(request('CountedLine', { slot_id: SlotId, stock: Quantity, when: Type.Optional(CountedWhen) }), {
      maxItems: SERVICE_LINES_MAX,
    }),
  ),
  cash: Type.Optional(
    request('CashCollected', {
      amount: Type.Integer({ minimum: 0, maximum: CASH_MAX, description: MINOR_UNITS }),
      bag: Type.Optional(text(WORD_MAX, 'Number of the bag.')),
    }),
  ),
  confirm_count: ConfirmCount,
  note: Type.Optional(Type.String({ maxLength: SUMMARY_MAX })),
  occurred_at: OccurredAt,
}

export const StopReceiveRequest = request('StopReceiveRequest', {
  delivered: Type.Array(request('LoadedLine', { slot_id: SlotId, quantity: Quantity }), {
    maxItems: SERVICE_LINES_MAX,
    description: 'What was loaded; slots of the stop that are left out count 0.',
  }),
  ...WORK,
  came: Type.Optional(OrderDelivered),
  lanes_changed: Type.Optional(
    Type.Array(text(SLOT_ID_MAX), {
      maxItems: BATCH_IDS_MAX,
      description: 'Lanes of the pick list that have their new product.',
    }),
  ),
})
export type StopReceiveRequest = Static<typeof StopReceiveRequest>

export const ServiceRequest = request('ServiceRequest', WORK)
export type ServiceRequest = Static<typeof ServiceRequest>

export const Service = answer('Service', {
  id: Type.String(),
  location: Type.String(),
  run: Type.Optional(Type.String({ description: 'The run whose stop was received.' })),
  occurred_at: Timestamp,
  booked_at: Timestamp,
  by: Type.Optional(By),
  delivered: list(answer('ServiceDelivered', { slot_id: Type.String(), quantity: Count })),
  removed: list(answer('ServiceRemoved', { slot_id: Type.String(), quantity: Count, reason: RemovalReason })),
  returned: Type.Optional(
    list(answer('ServiceReturned', { slot_id: Type.String(), quantity: Count, item: Type.String() })),
  ),
  counted: list(
    answer('ServiceCounted', {
      slot_id: Type.String(),
      stock: Count,
      when: CountedWhen,
      difference: Type.Optional(
        Type.Integer({ description: 'Counted minus expected; absent where nothing was expected.' }),
      ),
    }),
  ),
  stock: list(answer('ServiceStock', { slot_id: Type.String(), stock: NullableNumber })),
  cash: Type.Optional(
    answer('ServiceCash', {
      amount: Type.Optional(Type.Integer({ minimum: 0, description: `${MINOR_UNITS} For owner and operator only.` })),
      bag: Type.Optional(Type.String()),
    }),
  ),
  note: Type.Optional(Type.String()),
  undo_until: Timestamp,
  undone_at: Type.Optional(Timestamp),
})
export type Service = Static<typeof Service>

export const ServiceAnswer = answer('ServiceAnswer', { ...ENVELOPE, service: Service })
export type ServiceAnswer = Static<typeof ServiceAnswer>

/** A fault or a photo of a machine, with a visit or without one. */
export const ReportRequest = request('ReportRequest', {
  fault: Type.Optional(text(LINE_MAX, 'What is wrong, in the words of the reporter.')),
  photo: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: Math.ceil(PHOTO_BYTES_MAX / 3) * 4,
      pattern: '^[A-Za-z0-9+/]+={0,2}$',
      description: 'Base64 of a JPEG, PNG, GIF or WebP picture of at most 300 KB.',
    }),
  ),
  service_id: Type.Optional(text(WORD_MAX, 'The visit that it belongs to.')),
  occurred_at: OccurredAt,
})
export type ReportRequest = Static<typeof ReportRequest>

export const MachineReport = answer('MachineReport', {
  id: Type.String(),
  location: Type.String(),
  service_id: Type.Optional(Type.String()),
  fault: Type.Optional(Type.String()),
  photo: Type.Optional(Type.String({ description: 'Its address on this host. Photos are kept for 90 days.' })),
  occurred_at: Timestamp,
  by: Type.Optional(By),
  fixed_at: Type.Optional(Timestamp),
  fixed_by: Type.Optional(Type.String()),
})
export type MachineReport = Static<typeof MachineReport>

export const ReportAnswer = answer('ReportAnswer', { ...ENVELOPE, report: MachineReport })
export const ReportList = answer('ReportList', {
  ...ENVELOPE,
  reports: Type.Immutable(
    Type.Array(MachineReport, { description: 'Faults that are not fixed first, then the latest; at most 50.' }),
  ),
})

/** A stop of a run, in the order of its tour. */
export const RunVisit = answer('RunVisit', {
  location: Type.String(),
  name: Type.String(),
  sequence: Type.Integer({ minimum: 1 }),
  status: oneOf(['open', 'received']),
  received_at: Type.Optional(Timestamp),
  by: Type.Optional(By),
  service_id: Type.Optional(Type.String({ description: 'What was done there, and what an undo names.' })),
  undo_until: Type.Optional(Timestamp),
})
export type RunVisit = Static<typeof RunVisit>
