/** Replies in the shape of the vendor's description, with contents of our own. */
import { expect } from 'vitest'
import type { Result } from '../contract.ts'
import { type LaneReading, type LynxLane, readProductMap } from './lanes.ts'
import { type OperatorProduct, readOperatorProducts } from './products.ts'

export const USD = { code: 'USD', digits: 2 }
export const MACHINE = '7001'
export const NOW = Date.UTC(2026, 8, 20)

export const productRow = (id: number, more: object = {}) => ({
  NayaxProductID: id,
  ProductName: `Soda ${id}`,
  EANCode: null,
  ProductBarcode: `40000${id}`,
  ProductCostPrice: 0.6,
  ProductPictureURL: `https://pictures.test/${id}.png`,
  ProductPackageQuantity: 24,
  ...more,
})

/** Every field of the vendor's MachineProduct. */
export const laneRow = (n: number, more: object = {}) => ({
  DexPrice: 1.25,
  ProductRef: 'p',
  MachineProductRef: 'mp',
  ProductGroupRef: 'g',
  MachineRef: 'm',
  MachineProductID: 9000 + n,
  NayaxProductID: 500 + n,
  MachineID: Number(MACHINE),
  MDBCode: n,
  PAR: 10,
  CashPrice: 1.5,
  CreditCardPrice: 1.75,
  MachinePrice: 1.5,
  RetailPrice: 2,
  DEXProductName: `lane ${n}`,
  PACode: `A${n}`,
  PCCode: null,
  ProductMinimumPickQTY: 1,
  VendOutAlertThreshold: 2,
  LastUpdated: '2026-09-01T08:00:00.5',
  MissingStockByDEX: 0,
  DEXMissingStockLastUpdated: null,
  PrePaidCardPrice: null,
  OperatorButtonCode: `B${n}`,
  LastUpdatedByMobile: null,
  ProductGroupID: 3,
  MissingStockByMDB: 4,
  MDBMissingStockLastUpdated: '2026-09-19T10:20:30.12',
  SelectionVendOutBit: false,
  CommissionValue: 0.05,
  ExternalPrepaidPrice: null,
  product_mark_for_alerts: 0,
  last_sale_dt: '2026-09-19T09:00:00',
  last_sale_mdb_dt: null,
  slow_mover: false,
  ...more,
})

export const saleRow = (n: number, more: object = {}) => ({
  TransactionID: 40_000_000_000 + n,
  MachineID: Number(MACHINE),
  MachineName: 'Hall',
  MachineNumber: '12',
  AuthorizationValue: 3,
  SettlementValue: 1.5,
  CurrencyCode: 'USD',
  PaymentMethod: 'Credit Card',
  ProductName: 'Soda 501(1, A1 = 1.50)\n',
  MultivendTransactionBit: false,
  MultivendNumverOfProducts: 0,
  UnitOfMeasurement: null,
  Quantity: 0,
  AuthorizationDateTimeGMT: '2026-09-19T10:20:30.317',
  MachineAuthorizationTime: '2026-09-19T05:20:30.317',
  SettlementDateTimeGMT: '2026-09-19T10:20:40',
  SiteID: 4,
  SiteName: 'US',
  ...more,
})

export const LANE_READING: LaneReading = {
  machineId: MACHINE,
  priceField: 'MachinePrice',
  currency: USD,
  nowMs: NOW,
}

export function valueOf<T>(result: Result<T>): T {
  expect(result).toMatchObject({ ok: true })
  return (result as { value: T }).value
}

export const unreadableOf = <T>(result: Result<T>) => (result.ok ? (result.unreadable ?? []) : [])

export const lanesOf = (rows: readonly object[], reading = LANE_READING): readonly LynxLane[] =>
  valueOf(readProductMap(rows, reading)).lanes

export const productsOf = (rows: readonly object[]): ReadonlyMap<string, OperatorProduct> =>
  valueOf(readOperatorProducts(rows, USD))
