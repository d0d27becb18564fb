/** Purchases that suppliers accepted. */
export interface PurchaseTable {
  id: string
  version: number
  vendor: string
  label: string
  placed_at: number
  total_fen: number
  /** JSON: lines, destination and method as ordered. */
  body: string
  state: 'ordered' | 'arrived' | 'cancelled'
  /** As the supplier last reported it; null until it was asked. */
  raw_status: number | null
  description: string | null
  logistics: string | null
  asked_at: number | null
}

/** Appended when the supplier's state changes or a shipment is named, and never written again. */
export interface PurchaseEventTable {
  purchase: string
  n: number
  state: 'ordered' | 'shipped' | 'arrived' | 'cancelled'
  occurred_at: number
  carrier: string | null
  tracking_number: string | null
  tracking_url: string | null
}

export interface OrdersTables {
  purchase: PurchaseTable
  purchase_event: PurchaseEventTable
}
