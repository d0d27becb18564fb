/** The channels of NOTIFY_FILE as channels of the outbox. */
import type { ApprovalDetails } from '../../contract/shapes/approval.ts'
import { type Decision, type DecisionId, findDecision } from '../../rules/approvals/index.ts'
import type { Context } from '../../context.ts'
import type { Channel, OutboxMessage, SendResult } from '../../record/outbox/index.ts'
import { approvalLines } from './approval-lines.ts'
import { isQuiet, noticeBatches } from './batches.ts'
import { type NoticeData, type NoticeKind, localTime, pageOf, URGENT_KINDS } from './notices.ts'
import { sendNotice } from './senders.ts'
import type { ChannelSettings, NotifySettings } from './settings.ts'
import { NOTICE_BUTTONS } from '../../texts/index.ts'
import { optionText } from '../../texts/questions.ts'
import { foldedText } from './texts.ts'

/** A notice that is still true, with the decision it is about. */
interface Present {
  readonly data: NoticeData
  readonly decision?: Decision
}

export const NOTIFY_CHANNEL = 'notify:'
export const notifyChannel = ({ name }: Pick<ChannelSettings, 'name'>): string => `${NOTIFY_CHANNEL}${name}`

/** What decisions are about; nothing for those whose subject is gone. */
export type DescribeDecisions = (decisions: readonly Decision[]) => Promise<ReadonlyMap<DecisionId, ApprovalDetails>>

export function channelOf(
  ctx: Context,
  { publicUrl }: NotifySettings,
  settings: ChannelSettings,
  describeDecisions: DescribeDecisions,
): Channel {
  const { clock, config, store } = ctx
  /** As the channel says, else as the owner set it. */
  const languageNow = () => settings.language ?? config.language
  const lastSent = new Map<string, number>()

  /** An approval that was resolved meanwhile needs nobody any more. */
  async function findPresent(message: OutboxMessage): Promise<Present | undefined> {
    const data = JSON.parse(message.data ?? '{}') as NoticeData
    if (data.approval === undefined) return { data }
    const decision = await findDecision(store.db, data.approval)
    return decision?.status === 'pending' ? { data, decision } : undefined
  }

  /** Read when it is sent, and for a message of its own only: many as one name each in a line. */
  async function loadDetails({ decision }: Present): Promise<ApprovalDetails | undefined> {
    return decision && (await describeDecisions([decision])).get(decision.id)
  }

  return {
    name: notifyChannel(settings),
    // Part of the query: hundreds of notices that wait for the morning must not hide an urgent one.
    kindsAt: (now) =>
      settings.quiet !== undefined && isQuiet(localTime(now, config.timeZone), settings.quiet)
        ? URGENT_KINDS
        : undefined,
    batches: (waiting, now) => noticeBatches(waiting, now, (kind) => lastSent.get(kind)),
    async send({ message, replaces }): Promise<SendResult> {
      const kind = message.kind as NoticeKind
      const found = await Promise.all([message, ...replaces].map(findPresent))
      const notices = found.flatMap((present) => (present ? [{ kind, ...present }] : []))
      const [first] = notices
      if (!first) return { outcome: 'obsolete' }
      const only = notices.length === 1 ? first : undefined
      const details = only && (await loadDetails(only))
      const language = languageNow()
      const { title, text } = foldedText(notices, language)
      const result = await sendNotice(ctx, settings, {
        title,
        text: [text, ...(details ? approvalLines(details, language) : [])].filter(Boolean).join('\n'),
        message,
        link: `${publicUrl}${pageOf(kind, only?.data ?? {})}`,
        words: NOTICE_BUTTONS[language],
        approval: kind === 'approval_waiting' || kind === 'approval_expiring' ? only?.data.approval : undefined,
        options: only?.decision?.question?.options.map((option) => ({
          option,
          label: optionText(only.decision?.params, option, language),
        })),
        data: { ...only?.data, ...(details && { details }) },
        count: notices.length,
      })
      if (result.outcome === 'delivered') lastSent.set(kind, clock.now())
      return result
    },
    deadEvent: ({ kind, attempts }, error) => ({
      kind: 'webhook',
      code: 'notification_given_up',
      params: { channel: settings.name, notice: kind, error },
      summary: `A notification (${kind}) could not be delivered on ${settings.name}`,
      reasoning: `${error}, after ${attempts + 1} attempts.`,
    }),
  }
}
