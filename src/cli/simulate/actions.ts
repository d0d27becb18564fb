/** What the people of a simulation did; the report counts it. */
export type Action =
  | { readonly kind: 'ordered'; readonly at: number; readonly units: number; readonly spentFen: number }
  | { readonly kind: 'approved'; readonly at: number }
  | { readonly kind: 'surplus'; readonly at: number; readonly units: number }
  | { readonly kind: 'expired'; readonly at: number; readonly units: number }
  | { readonly kind: 'refused'; readonly at: number; readonly code: string }
  | {
      readonly kind: 'trip'
      readonly at: number
      readonly stops: number
      readonly meters: number
      readonly drivingFen: number
    }

export type RecordAction = (action: Action) => void
