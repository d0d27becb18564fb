/** The raw value of a rendered cell, for files: amounts as decimals, times as timestamps, everything else as its text. */
import { type ComponentChildren, type VNode, isValidElement } from 'preact'
import type { CsvValue } from '../../lib/text/csv.ts'
import { amountText } from '../../lib/text/format.ts'

interface ValueProps {
  readonly children?: ComponentChildren
  /** Of `Money`. */
  readonly amount?: unknown
  readonly currency?: unknown
  /** Of `Timestamp` and `RelativeTime`. */
  readonly at?: unknown
}

export function cellValue(cell: ComponentChildren): CsvValue {
  if (typeof cell === 'number') return cell
  const text = textOf(cell).replaceAll(/\s+/g, ' ').trim()
  // An estimate is marked in front of its number.
  return text === '–' ? '' : text.replace(/^≈ /, '')
}

function textOf(cell: ComponentChildren): string {
  if (typeof cell === 'string' || typeof cell === 'number') return String(cell)
  if (Array.isArray(cell)) return cell.map(textOf).join('')
  if (!isValidElement(cell)) return ''
  const { type, props } = cell as VNode<ValueProps>
  if (typeof props.amount === 'number' && typeof props.currency === 'string')
    return amountText(props.amount, props.currency)
  if (typeof props.at === 'string') return props.at
  // Paragraphs of a cell are further facts.
  return type === 'p' ? ` ${textOf(props.children)}` : textOf(props.children)
}
