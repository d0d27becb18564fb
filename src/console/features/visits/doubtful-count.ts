/** Counts that can hardly be: the console asks before it sends one, and the service refuses one that nobody confirmed. */
import type { Message } from '../../../contract/common.ts'
import { texts } from '../../lib/text/i18n.ts'

export interface DoubtfulCount {
  readonly product: string
  readonly counted: number
  /** What fits, or else the most that was ever there. */
  readonly capacity?: number | undefined
  readonly highest?: number | undefined
}

export const isAboveCapacity = (counted: number | undefined, capacity: number | null | undefined): boolean =>
  counted !== undefined && typeof capacity === 'number' && counted > capacity

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

/** Those that the service asks about; empty where it refused for another reason. */
export const doubtsIn = (messages: readonly Message[]): readonly DoubtfulCount[] =>
  messages.flatMap(({ code, params }) => {
    const counted = numberOf(params?.['counted'])
    const product = params?.['product']
    if (code !== 'invalid' || counted === undefined) return []
    const capacity = numberOf(params?.['capacity'])
    return [
      {
        product: typeof product === 'string' ? product : '',
        counted,
        ...(isAboveCapacity(counted, capacity) ? { capacity } : { highest: numberOf(params?.['highest']) }),
      },
    ]
  })

/** `Really 99? The slot holds 5.` */
export function doubtText({ counted, capacity, highest }: DoubtfulCount): string {
  const t = texts().doubt
  if (capacity !== undefined) return t.holds(counted, capacity)
  return highest === undefined ? t.unusual(counted) : t.highest(counted, highest)
}
