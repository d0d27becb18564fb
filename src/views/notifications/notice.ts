/** What people are notified of, and which of it may wait until the morning. */
import type { WINDOW_MS } from '../../rules/guardrails/index.ts'
import type { TextParams } from '../../kernel/message.ts'

export const NOTICE_KINDS = [
  'approval_waiting',
  'approval_expiring',
  'outcome_unclear',
  'above_agreed',
  'stop',
  'rules_unreadable',
  'machine_silent',
  'sync_failing',
  'delivery_overdue',
  'budget',
  'summary',
] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

/** These are sent in quiet hours, too: money may be at stake before the morning. */
export const URGENT_KINDS: ReadonlySet<string> = new Set<NoticeKind>([
  'approval_expiring',
  'outcome_unclear',
  'stop',
  'rules_unreadable',
])

export interface SummaryData {
  readonly day: string
  readonly units: number
  readonly revenue: string
  /** The most missed first. */
  readonly empty: readonly {
    readonly machine: string
    readonly sku: string
    readonly title: string
    readonly perDay: number
  }[]
  readonly emptyCount: number
  readonly waiting: number
}

/** What an approval is about, in codes and values, for every language. */
export interface AskedApproval {
  readonly subject: { readonly type: string; readonly id: string }
  readonly params?: TextParams
  /** Every rule that asks. */
  readonly rules: readonly { readonly code: string; readonly params: TextParams }[]
}

/** The values in the sentences of a notice; times are RFC 3339. */
export interface NoticeData {
  /** The approval that it is about; with it a chat shows buttons. */
  readonly approval?: string
  readonly asked?: AskedApproval
  readonly summary?: string
  readonly reason?: string
  readonly subject?: string
  readonly by?: string
  readonly engaged?: boolean
  /** The stop is one of the rules file, which names nobody. */
  readonly byFile?: boolean
  readonly at?: string
  /** Of a purchase: what the supplier asks, and what was agreed. */
  readonly charged?: string
  readonly agreed?: string
  /** Of a budget. */
  readonly window?: keyof typeof WINDOW_MS
  readonly report?: SummaryData
}

export interface Notice {
  readonly kind: NoticeKind
  /** The same thing is said once: the key is unique in a channel. */
  readonly key: string
  readonly occurredAt: number
  readonly data: NoticeData
}
