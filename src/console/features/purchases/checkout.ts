/** Status and messages of a checkout session. */
import type { SaleUnit } from '../../../contract/shapes/catalog.ts'
import type { Checkout, CheckoutStatus } from '../../../contract/shapes/checkout.ts'
import type { Message, PostalAddress } from '../../../contract/common.ts'
import { texts } from '../../lib/text/i18n.ts'
import type { Tone } from '../../lib/text/tone.ts'

export const STATUS_TONE: Readonly<Record<CheckoutStatus, Tone>> = {
  incomplete: 'warn',
  requires_escalation: 'warn',
  ready_for_complete: 'info',
  complete_in_progress: 'info',
  completed: 'ok',
  canceled: 'calm',
}

/** Of what shows a session and changes it. */
export interface CheckoutProps {
  readonly checkout: Checkout
  readonly put: (checkout: Checkout) => void
}

export const unitText = ({ unit, contains = 1 }: Pick<SaleUnit, 'unit' | 'contains'>): string =>
  unit === 'BX' ? texts().purchase.boxOf(contains) : texts().purchase.each

export const isOpen = (status: CheckoutStatus): boolean => status !== 'completed' && status !== 'canceled'
export const isEditable = (status: CheckoutStatus): boolean => isOpen(status) && status !== 'complete_in_progress'

/** The messages at a path or below it. */
export const messagesAt = (messages: readonly Message[] | undefined, path: string): readonly Message[] =>
  (messages ?? []).filter(
    (message) => message.path === path || message.path?.startsWith(`${path}.`) || message.path?.startsWith(`${path}[`),
  )

/** Messages that belong to no line and no delivery field. */
export const generalMessages = ({ messages }: Checkout): readonly Message[] =>
  (messages ?? []).filter(({ path }) => !path?.startsWith('$.line_items[') && !path?.startsWith('$.fulfillment'))

/** Products that were asked for and are in no line, because they are not for sale. */
export const hasLeftOut = ({ messages }: Checkout): boolean =>
  (messages ?? []).some(({ path, code }) => path === '$.line_items' && code === 'item_unavailable')

const hasMessage = ({ messages }: Pick<Checkout, 'messages'>, code: string): boolean =>
  messages?.some((each) => each.code === code) ?? false

/** The supplier's page on which a person completes the purchase; undefined where a person sends the order instead. */
export const handoffPage = (checkout: Checkout): string | undefined =>
  hasMessage(checkout, 'handoff') && !checkout.order_document ? checkout.continue_url : undefined

/** A person goes on: on the supplier's page, or by sending the order. */
export const isHandedOver = (checkout: Pick<Checkout, 'messages'>): boolean => hasMessage(checkout, 'handoff')

/** Of a purchase that was handed over nothing was sent: a person has to pay at the supplier. */
export function statusText(checkout: Pick<Checkout, 'status' | 'messages' | 'order_document'>): string {
  const t = texts().purchase
  if (hasMessage(checkout, 'handoff')) return checkout.order_document ? t.toSend : t.handedOver
  return texts().checkoutStatus[checkout.status]
}
export const statusTone = (checkout: Pick<Checkout, 'status' | 'messages'>): Tone =>
  hasMessage(checkout, 'handoff') ? 'warn' : STATUS_TONE[checkout.status]

/** A person may say now whether the supplier has the order. */
export const mayRecordOutcome = (checkout: Checkout): boolean =>
  hasMessage(checkout, 'handoff') || hasMessage(checkout, 'outcome_needed')

/** An attempt recorded as not placed counts towards the limits until an owner confirms it. */
export const isUnconfirmed = (checkout: Checkout): boolean => hasMessage(checkout, 'outcome_unconfirmed')

export type DeliveryType = 'shipping' | 'pickup'

export const ADDRESS_FIELDS = [
  'first_name',
  'phone_number',
  'street_address',
  'address_locality',
  'address_region',
  'postal_code',
  'address_country',
] as const
export type AddressField = (typeof ADDRESS_FIELDS)[number]

export type Address = PostalAddress

/** Without empty fields, as it is sent. */
export const filledAddress = (address: Address): Address =>
  Object.fromEntries(Object.entries(address).filter(([, value]) => value?.trim()))

/** On one line, the person first. */
export const addressLine = ({ first_name, last_name, phone_number, ...place }: Address): string =>
  [
    [first_name, last_name].filter(Boolean).join(' '),
    phone_number,
    place.street_address,
    place.extended_address,
    place.address_locality,
    place.address_region,
    place.postal_code,
    place.address_country,
  ]
    .filter(Boolean)
    .join(' · ')
