/** How far collected cash may differ from what the counters say before people are told: `5%,500`. Pure. */

export interface CashTolerance {
  readonly percent: number
  /** Minor units. */
  readonly amount: number
}

const FORM = /^(\d{1,3}(?:\.\d{1,2})?)%,(\d{1,12})$/

/** Undefined where the text is none. */
export function parseCashTolerance(text: string): CashTolerance | undefined {
  const [whole, percent, amount] = FORM.exec(text.replaceAll(' ', '')) ?? []
  return whole === undefined || Number(percent) > 100 ? undefined : { percent: Number(percent), amount: Number(amount) }
}

/** Both must be exceeded: a small sum differs by much of itself, and a large one by more than a few coins. */
export const isBeyondTolerance = (
  { expected, difference }: { readonly expected: number; readonly difference: number },
  { percent, amount }: CashTolerance,
): boolean => Math.abs(difference) > amount && Math.abs(difference) * 100 > expected * percent
