/** What should be in a machine's box, from its counters. Never guessed: what was not counted throughout is unknown. Pure. */

/** From when until when the counters of a machine are known. */
export interface CashMeter {
  readonly knownFrom: number
  readonly knownUntil: number
}

/** From one collection of a machine to the next: after the first, up to the second. */
export interface Window {
  readonly key: string
  readonly location: string
  readonly after: number
  readonly until: number
}

export interface Taken {
  readonly amount: number
  /** A counter was reset or could not be read. */
  readonly isUnknown: boolean
}

/** Null where the counters were not known from the collection before on, or were not read since. */
export function expectedIn(
  { after }: Pick<Window, 'after'>,
  meter: CashMeter | undefined,
  taken: Taken | undefined,
): number | null {
  if (!meter || meter.knownFrom > after || meter.knownUntil <= after || taken?.isUnknown) return null
  return taken?.amount ?? 0
}
