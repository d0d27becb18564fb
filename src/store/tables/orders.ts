/** Purchases that suppliers accepted. */
import { int, nullable, reference, table, text, textOf } from '../table.ts'

export const ORDERS_TABLES = {
  purchase: table(
    {
      id: text,
      version: int,
      vendor: text,
      label: text,
      placed_at: int,
      total_fen: int,
      /** JSON: lines, destination and method as ordered. */
      body: text,
      state: textOf<'ordered' | 'arrived' | 'cancelled'>(),
      /** As the supplier last reported it; null until it was asked. */
      raw_status: nullable(int),
      description: nullable(text),
      logistics: nullable(text),
      asked_at: nullable(int),
      /** When it was booked into the store room without a run; null: it was not. */
      received_at: nullable(int),
      /** Since when its invoices differ from the order or the receipt; null: they do not. */
      invoice_differs_at: nullable(int),
    },
    {
      key: ['id'],
      indexes: {
        /** A supplier's number stands for one order: the same one twice would be two sessions claiming one purchase. */
        label: { unique: true, on: ['vendor', 'label'] },
        newest: ['placed_at', 'id'],
        open: { on: ['asked_at'], where: `state = 'ordered'` },
        invoice_differs: { on: ['invoice_differs_at'], where: 'invoice_differs_at is not null' },
      },
    },
  ),

  /** Appended when the supplier's state changes or a shipment is named, and never written again. */
  purchase_event: table(
    {
      purchase: reference('purchase'),
      n: int,
      state: textOf<'ordered' | 'shipped' | 'arrived' | 'cancelled'>(),
      occurred_at: int,
      carrier: nullable(text),
      tracking_number: nullable(text),
      tracking_url: nullable(text),
    },
    { key: ['purchase', 'n'] },
  ),
}
