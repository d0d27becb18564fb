/** The bodies that we send about a session, for each version of UCP. Pure. */
import type { SupplyAddress, SupplyFulfillment } from '../supply-vendor.ts'
import type { Fields } from '../upstream/read-json.ts'
import { type MerchantProfile, isFirstVersion } from './merchant-profile.ts'
import type { MerchantSession, SessionMethod } from './merchant-session.ts'
import type { UcpSettings } from './settings.ts'

export interface WantedLine {
  readonly itemId: string
  /** As the merchant's catalog states it; absent: pieces. */
  readonly unit?: { readonly unit: string; readonly display_text: string }
  readonly quantity: number
}

export interface WantedSession {
  readonly lines: readonly WantedLine[]
  readonly currency: string
  /** Absent: no destination is chosen yet. */
  readonly destination?: SupplyAddress
}

const DESTINATION_ID = 'dest_1'

/** Where a shipment goes: the fields of the address, or the one line that there is. */
export const destinationOf = (
  fulfillment: SupplyFulfillment | undefined,
  destination: SupplyAddress | undefined,
): SupplyAddress | undefined => {
  if (fulfillment?.method !== 'shipping') return undefined
  return (
    destination ?? {
      street_address: fulfillment.address,
      first_name: fulfillment.contactName,
      phone_number: fulfillment.contactPhone,
    }
  )
}

export const createBody = (wanted: WantedSession, merchant: MerchantProfile): Fields => ({
  line_items: wanted.lines.map(toLine),
  ...firstVersionMembers(wanted, merchant),
  ...(wanted.destination && {
    fulfillment: { methods: [{ type: 'shipping', ...selectedDestination(wanted.destination) }] },
  }),
})

/** Replaces the session, so it states the lines again. */
export const updateBody = (
  session: MerchantSession,
  wanted: WantedSession,
  merchant: MerchantProfile,
  options: ReadonlyMap<number, string>,
): Fields => {
  const method = session.methods.find(({ type }) => type === 'shipping')
  return {
    ...(isFirstVersion(merchant) && { id: session.id }),
    line_items: wanted.lines.map((line) => ({ ...lineId(session, line), ...toLine(line) })),
    ...firstVersionMembers(wanted, merchant),
    ...(wanted.destination && {
      fulfillment: {
        methods: [
          {
            ...(method?.id !== undefined && { id: method.id }),
            type: 'shipping',
            line_item_ids: session.lines.map(({ id }) => id),
            ...destinationMembers(method, wanted.destination),
            ...(options.size > 0 && {
              groups: (method?.groups ?? []).map((group, i) => selectOption(group, options.get(i))),
            }),
          },
        ],
      },
    }),
  }
}

const selectOption = (group: SessionMethod['groups'][number], option: string | undefined): Fields => ({
  ...(group.id !== undefined && { id: group.id }),
  selected_option_id: option ?? group.selectedOptionId ?? null,
})

/** The destination under the id that the merchant gave it. */
function destinationMembers(method: SessionMethod | undefined, destination: SupplyAddress): Fields {
  const known = method && findDestination(method, destination)
  return selectedDestination(destination, typeof known?.['id'] === 'string' ? known['id'] : DESTINATION_ID)
}

const selectedDestination = (destination: SupplyAddress, id = DESTINATION_ID): Fields => ({
  destinations: [{ id, ...destination }],
  selected_destination_id: id,
})

/** Compared without regard to case and blanks. Members that the merchant does not state back are not compared. */
const COMPARED = ['street_address', 'extended_address', 'address_locality', 'postal_code'] as const

const normalizeText = (value: string): string => value.replaceAll(/\s+/gu, ' ').trim().toLowerCase()

function isSameDestination(stated: Fields, wanted: SupplyAddress): boolean {
  const { street_address: street } = stated
  if (wanted.street_address !== undefined && typeof street !== 'string') return false
  return COMPARED.every((field) => {
    const [theirs, ours] = [stated[field], wanted[field]]
    return typeof theirs !== 'string' || ours === undefined || normalizeText(theirs) === normalizeText(ours)
  })
}

const findDestination = ({ destinations }: SessionMethod, wanted: SupplyAddress): Fields | undefined =>
  destinations.find((each) => isSameDestination(each, wanted))

export const hasOurDestination = (method: SessionMethod, wanted: SupplyAddress): boolean =>
  method.destinations.some((each) => each['id'] === method.selectedDestinationId && isSameDestination(each, wanted))

const toLine = ({ itemId, unit, quantity }: WantedLine): Fields => ({
  item: { id: itemId, ...(unit && { quantity_unit: unit }) },
  quantity,
})

const lineId = (session: MerchantSession, line: WantedLine): Fields => {
  const known = session.lines.find(({ itemId, unit }) => itemId === line.itemId && unit === line.unit?.unit)
  return known ? { id: known.id } : {}
}

/** Merchants of 2026-01-11 require these. */
const firstVersionMembers = ({ currency }: WantedSession, merchant: MerchantProfile): Fields =>
  isFirstVersion(merchant) ? { currency, payment: { instruments: [], handlers: [] } } : {}

/** An extension that wants each purchase confirmed. */
const CONFIRMING = /\.vending\.approval$/

export function completeBody(
  { instrument, handler }: Pick<UcpSettings, 'instrument' | 'handler'>,
  merchant: MerchantProfile,
): Fields {
  const [only, another] = merchant.handlers
  const handlerId = handler ?? (another ? undefined : only?.id)
  const paid = { ...instrument, ...(handlerId !== undefined && { handler_id: handlerId }) }
  if (isFirstVersion(merchant)) return { payment_data: paid, risk_signals: {} }
  const isConfirmed = [...merchant.capabilities].some((name) => CONFIRMING.test(name))
  return { payment: { instruments: [{ ...paid, selected: true }] }, ...(isConfirmed && { confirm: true }) }
}
