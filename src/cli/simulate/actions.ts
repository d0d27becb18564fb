/** What the people of a simulation did; the report counts it. */
import { VendopsError } from '../../client/index.ts'

export interface Refusal {
  readonly operation: string
  /** The run or the purchase, where there was one already. */
  readonly about?: string
  readonly code: string
  readonly text?: string
}

export type Action =
  | { readonly kind: 'bought'; readonly at: number; readonly units: number; readonly spentFen: number }
  | { readonly kind: 'approved'; readonly at: number }
  | { readonly kind: 'step'; readonly at: number; readonly step: string }
  | { readonly kind: 'surplus'; readonly at: number; readonly units: number }
  | { readonly kind: 'expired'; readonly at: number; readonly units: number }
  | { readonly kind: 'moved'; readonly at: number; readonly units: number }
  | { readonly kind: 'lane'; readonly at: number }
  | ({ readonly kind: 'refused'; readonly at: number } & Refusal)
  | {
      readonly kind: 'trip'
      readonly at: number
      readonly stops: number
      readonly meters: number
      readonly drivingFen: number
    }

/** Of an error that is no answer of the service: that error again. */
export function refusalOf(failure: unknown): Refusal {
  if (!(failure instanceof VendopsError)) throw failure
  const { operation, code, message: text } = failure
  return { operation, code, text }
}

export type RecordAction = (action: Action) => void
