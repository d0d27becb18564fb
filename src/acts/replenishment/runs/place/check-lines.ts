/** Which lines of a run may be ordered now, given what changed since it was created. Pure. */
import type { Message } from '../../../../kernel/message.ts'
import type { SkuId } from '../../../../kernel/ids.ts'
import type { Rules } from '../../../../rules/guardrails/index.ts'
import { matchingNoGo } from '../create/draft-lines.ts'
import { type FromStoreroom, type RemovedReason, type RunLine, linePath, MESSAGES_MAX, storeroomUnits } from '../run.ts'
import type { Source } from '../../../../route/skus/index.ts'
import { noGoError, alreadyOrderedError, unlinkedProductError, unlinkedProductWarning } from '../texts.ts'

export interface PlacementContext {
  readonly sources: ReadonlyMap<SkuId, Source>
  readonly rules: Pick<Rules, 'noGos'>
  /** Slots for which another run has ordered since. */
  readonly ordered: ReadonlySet<string>
  /** A real supplier delivers only products of its own; a simulated one delivers anything. */
  readonly needsSource: boolean
}

export interface CheckedLine {
  readonly n: number
  readonly source?: SkuId
  readonly removed?: RemovedReason
  /** What the store room gives. */
  readonly fromStoreroom?: FromStoreroom
  /** Units to buy, where that is less than the store room leaves open. */
  readonly bought?: number
}

export type CheckedLines = Readonly<ReturnType<typeof checkLines>>

export function checkLines(lines: readonly RunLine[], context: PlacementContext) {
  const messages: Message[] = []
  const checked = lines.map((line): CheckedLine => {
    const source = context.sources.get(line.skuId)
    const base = {
      n: line.n,
      ...(source && { source: source.skuId }),
      ...(line.fromStoreroom && { fromStoreroom: line.fromStoreroom }),
      ...(line.bought !== undefined && { bought: line.bought }),
    }
    const [removed, message] = checkLine(line, source, context)
    if (message) messages.push(message)
    if (removed !== undefined) return { n: line.n, ...(source && { source: source.skuId }), removed }
    return !source && context.needsSource ? { ...base, bought: 0 } : base
  })
  return { lines: checked, messages: messages.slice(0, MESSAGES_MAX) }
}

type LineVerdict = readonly [RemovedReason | undefined, Message | undefined]
const ALLOWED: LineVerdict = [undefined, undefined]

function checkLine(line: RunLine, source: Source | undefined, context: PlacementContext): LineVerdict {
  const path = linePath(line)
  if (context.ordered.has(line.slotId)) return ['already_placed', alreadyOrderedError(line, path)]
  const entry = matchingNoGo(context.rules, line, source)
  if (entry !== undefined) return ['hard_no_go', noGoError(line, entry, path)]
  // The store room serves it, whether a supplier still lists it or not.
  if (source || storeroomUnits(line) > 0) return ALLOWED
  return context.needsSource
    ? ['unresolved_sku', unlinkedProductError(line, path)]
    : [undefined, unlinkedProductWarning(line, path)]
}

export const mayBeOrdered = ({ removed }: CheckedLine): boolean => removed === undefined
