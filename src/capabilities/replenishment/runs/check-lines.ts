/** Which lines of a run may be ordered now, held against what changed since it was made. Pure. */
import { error, warning } from '../../../kernel/message.ts'
import type { Message } from '../../../kernel/message.ts'
import type { SkuId } from '../../../kernel/ids.ts'
import type { Rules } from '../../guardrails/index.ts'
import { forbids, linePath, MESSAGES_MAX } from './run.ts'
import type { Removed, RunLine, Source } from './run.ts'

export interface PlacementContext {
  readonly sources: ReadonlyMap<SkuId, Source>
  readonly rules: Pick<Rules, 'noGos'>
  /** Slots another run has ordered for since. */
  readonly ordered: ReadonlySet<string>
  /** A real supplier cannot deliver what it does not know; a simulated one can. */
  readonly mustResolve: boolean
}

export interface CheckedLine {
  readonly n: number
  readonly source?: SkuId
  readonly removed?: Removed
}

export interface CheckedLines {
  readonly lines: readonly CheckedLine[]
  readonly messages: readonly Message[]
}

export function checkLines(lines: readonly RunLine[], standing: PlacementContext): CheckedLines {
  const messages: Message[] = []
  const judged = lines.map((line): CheckedLine => {
    const source = standing.sources.get(line.skuId)
    const found = { n: line.n, ...(source ? { source: source.skuId } : {}) }
    const [removed, message] = judge(line, source, standing)
    if (message) messages.push(message)
    return removed === undefined ? found : { ...found, removed }
  })
  return { lines: judged, messages: messages.slice(0, MESSAGES_MAX) }
}

type Verdict = readonly [Removed | undefined, Message | undefined]
const FINE: Verdict = [undefined, undefined]

function judge(line: RunLine, source: Source | undefined, standing: PlacementContext): Verdict {
  const path = linePath(line)
  if (standing.ordered.has(line.slotId))
    return ['already_placed', error('already_placed', `${line.slotId} was ordered for by another run since`, path)]
  const entry = forbids(standing.rules, line, source)
  if (entry !== undefined)
    return ['hard_no_go', error('hard_no_go', `${line.title} is on the owner's no-go list (${entry})`, path)]
  if (source) return FINE
  const unresolved = `${line.skuId} has no confirmed alias that can be bought`
  return standing.mustResolve
    ? ['unresolved_sku', error('unresolved_sku', unresolved, path)]
    : [undefined, warning('unresolved_sku', unresolved, path)]
}

export const isOrdered = ({ removed }: CheckedLine): boolean => removed === undefined
