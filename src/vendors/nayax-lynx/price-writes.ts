/**
 * Changing prices in a product map: one PUT per lane, with the whole row. The platform sets what is left out to null and
 * refuses fields it does not know, so a body holds exactly the fields of its MachineProductEntity, each as read.
 */
import type { Fen } from '../../kernel/fen.ts'
import type { UnreadableRow } from '../contract.ts'
import type { Fields } from '../upstream/read-json.ts'
import { minorOfNumber, numberOfMinor } from '../../kernel/minor-units.ts'
import type { LynxLane, PriceField } from './lanes.ts'
import { type Currency, idText } from './reply.ts'

type FieldType = 'id' | 'whole' | 'number' | 'text' | 'flag'

/** MachineProductEntity of the vendor's description; every field may also be null. */
export const ENTITY_FIELDS = {
  MachineProductID: 'id',
  NayaxProductID: 'id',
  MachineID: 'id',
  MDBCode: 'whole',
  PAR: 'whole',
  CashPrice: 'number',
  CreditCardPrice: 'number',
  MachinePrice: 'number',
  RetailPrice: 'number',
  DEXProductName: 'text',
  PACode: 'text',
  PCCode: 'text',
  ProductMinimumPickQTY: 'whole',
  VendOutAlertThreshold: 'whole',
  LastUpdated: 'text',
  MissingStockByDEX: 'whole',
  DEXMissingStockLastUpdated: 'text',
  PrePaidCardPrice: 'number',
  OperatorButtonCode: 'text',
  LastUpdatedByMobile: 'text',
  ProductGroupID: 'whole',
  MissingStockByMDB: 'whole',
  MDBMissingStockLastUpdated: 'text',
  SelectionVendOutBit: 'flag',
  CommissionValue: 'number',
  ExternalPrepaidPrice: 'number',
  product_mark_for_alerts: 'whole',
  last_sale_dt: 'text',
  last_sale_mdb_dt: 'text',
  slow_mover: 'flag',
} as const satisfies Record<string, FieldType>

/** Whether a value goes back to the platform as it came: a number beyond 2^53 may have been rounded on its way here. */
const CAN_RETURN: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  id: (value) => value === 0 || idText(value) !== undefined,
  whole: (value) => Number.isSafeInteger(value),
  number: (value) => typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER,
  text: (value) => typeof value === 'string',
  flag: (value) => typeof value === 'boolean',
}

export interface NewPrice {
  readonly vendorSku: string
  readonly priceFen: Fen
}

export interface PriceWriting {
  /** The price fields that a new price goes into. */
  readonly fields: readonly PriceField[]
  readonly currency: Currency
}

/** All lanes of a product or none: two prices for one product are worse than the old one. Lanes that have the price are left. */
export function planPriceWrites(
  lanes: readonly LynxLane[],
  unreadableLanes: readonly UnreadableRow[],
  prices: readonly NewPrice[],
  writing: PriceWriting,
) {
  const unreadable = new Set(unreadableLanes.map(({ id }) => id))
  const writes: { vendorSku: string; machineProductId: string; body: Fields }[] = []
  /** Products of which nothing is written, with the reason. */
  const refused: { vendorSku: string; problem: string }[] = []
  for (const price of prices) {
    const { vendorSku } = price
    const own = lanes.filter(({ productId }) => productId === vendorSku)
    const problem = priceProblem(price, writing) ?? laneProblem(own, unreadable.has(vendorSku))
    if (problem !== undefined) refused.push({ vendorSku, problem })
    else
      for (const lane of own.filter((lane) => !hasPrice(lane, price, writing)))
        writes.push({ vendorSku, machineProductId: lane.machineProductId ?? '', body: bodyOf(lane, price, writing) })
  }
  return { writes, refused }
}

/** A price that does not come back from its JSON number as it went in would be another price at the machine. */
const priceProblem = ({ priceFen }: NewPrice, { currency: { digits } }: PriceWriting): string | undefined =>
  priceFen >= 0 && minorOfNumber(numberOfMinor(priceFen, digits), digits) === priceFen
    ? undefined
    : 'its new price cannot be sent'

function laneProblem(own: readonly LynxLane[], hasUnreadable: boolean): string | undefined {
  if (own.length === 0) return 'the machine has no lane with this product'
  if (hasUnreadable) return 'one of its lanes cannot be read'
  return own.map(writeProblem).find((problem) => problem !== undefined)
}

function writeProblem({ machineProductId, entity }: LynxLane): string | undefined {
  if (machineProductId === null) return 'one of its lanes has no id'
  const wrong = Object.entries(ENTITY_FIELDS).find(([name, type]) => {
    const value = entity[name] ?? null
    return value !== null && !CAN_RETURN[type](value)
  })
  // Which field it is stays inside: callers know no fields of the platform.
  return wrong && 'one of its lanes has a value that cannot be sent back as it was read'
}

const bodyOf = ({ entity }: LynxLane, { priceFen }: NewPrice, { fields, currency }: PriceWriting): Fields => ({
  ...Object.fromEntries(Object.keys(ENTITY_FIELDS).flatMap((name) => (name in entity ? [[name, entity[name]]] : []))),
  ...Object.fromEntries(fields.map((field) => [field, numberOfMinor(priceFen, currency.digits)])),
})

const hasPrice = ({ entity }: LynxLane, { priceFen }: NewPrice, { fields, currency }: PriceWriting): boolean =>
  fields.length > 0 && fields.every((field) => minorOfNumber(entity[field], currency.digits) === priceFen)

/**
 * How many of the new prices were applied, by the product map read after the writes: the reply to a PUT may describe another
 * product. A price is applied when every lane of its product was read and has it.
 */
export function countApplied(
  lanes: readonly LynxLane[],
  unreadableLanes: readonly UnreadableRow[],
  prices: readonly NewPrice[],
  writing: PriceWriting,
): { readonly count: number; readonly missing: readonly string[] } {
  const unreadable = new Set(unreadableLanes.map(({ id }) => id))
  const missing = prices.filter((price) => {
    const own = lanes.filter(({ productId }) => productId === price.vendorSku)
    return own.length === 0 || unreadable.has(price.vendorSku) || !own.every((lane) => hasPrice(lane, price, writing))
  })
  return { count: prices.length - missing.length, missing: missing.map(({ vendorSku }) => vendorSku) }
}
