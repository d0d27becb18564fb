/** Elements of X12 segments that several transaction sets share. Each throws where the element cannot be read. */
import { UnreadableReply } from '../../../upstream/read-json.ts'
import { type OrderUnit, unitOf, wholeOf } from '../units.ts'
import type { TransactionSet, X12Segment } from './x12-text.ts'

export const findOnly = ({ segments }: TransactionSet, id: string): X12Segment => {
  const [first, second] = segments.filter((segment) => segment.id === id)
  if (!first || second) throw new UnreadableReply(`${id} has to occur once`)
  return first
}

export function readElement(segment: X12Segment, place: number): string {
  const element = segment.elements[place]?.trim()
  if (!element) throw new UnreadableReply(`${segment.id}${String(place).padStart(2, '0')} is missing`)
  return element
}

export function quantityAt(segment: X12Segment, place: number): number {
  const quantity = wholeOf(segment.elements[place])
  if (quantity === undefined) throw new UnreadableReply(`${segment.id} has no whole quantity`)
  return quantity
}

export function unitAt(segment: X12Segment, place: number): OrderUnit {
  const code = readElement(segment, place)
  const unit = unitOf(code)
  if (unit === undefined) throw new UnreadableReply(`${segment.id} is in the unit ${code}`)
  return unit
}

/** Pairs of qualifier and identifier from `start` on. VN and VP are the seller's own number of an item. */
export function skuIn({ elements }: X12Segment, start: number): string | undefined {
  for (let i = start; i + 1 < elements.length; i += 2)
    if (elements[i] === 'VN' || elements[i] === 'VP') return elements[i + 1]?.trim() || undefined
  return undefined
}

/** Line numbers are ours, so they are whole; anything else was made up by the supplier. */
export const lineNumberOf = (text: string | undefined): number | undefined => wholeOf(text) || undefined
