/** Which notices of a channel are sent now, many of one kind as one; and when its quiet hours are. Pure. */
import { MINUTE } from '../../kernel/clock.ts'
import { type Batch, type OutboxMessage, isMessageDue } from '../../record/outbox/index.ts'

export interface QuietHours {
  readonly from: string
  readonly to: string
}

/** Up to this many of one kind are sent one by one. */
const SINGLE_MAX = 3
/** After a message, further ones of its kind are gathered for this long. */
const GATHER_MS = MINUTE

/** Each is read by itself. */
const NEVER_GATHERED: ReadonlySet<string> = new Set(['shift_report', 'pick_list'])

/** `HH:MM` at the channel's place; the hours may pass midnight. */
export const isQuiet = (localTime: string, { from, to }: QuietHours): boolean =>
  from <= to ? localTime >= from && localTime < to : localTime >= from || localTime < to

export function noticeBatches(
  waiting: readonly OutboxMessage[],
  now: number,
  lastSentAt: (kind: string) => number | undefined,
): readonly Batch[] {
  const due = waiting.filter((message) => isMessageDue(message, now))
  const byKind = Map.groupBy(
    due.toSorted((a, b) => a.seq - b.seq),
    ({ kind }) => kind,
  )
  return [...byKind].flatMap(([kind, messages]): Batch[] => {
    if (NEVER_GATHERED.has(kind)) return messages.map((message) => ({ message, replaces: [] }))
    const sentAt = lastSentAt(kind)
    const isGathering = sentAt !== undefined && now - sentAt < GATHER_MS && now >= sentAt
    if (isGathering && messages.length > 1) return []
    const [first, ...rest] = messages
    if (first && messages.length > SINGLE_MAX) return [{ message: first, replaces: rest }]
    return messages.map((message) => ({ message, replaces: [] }))
  })
}
