/** Notifications to people: their contents, their channels, and the buttons that people press. */
import type { Job } from '../../jobs/runner.ts'
import { addDays, DAY, HOUR, localDay, MINUTE, SECOND } from '../../kernel/clock.ts'
import type { Context } from '../../context.ts'
import { StoreUnavailable } from '../../store/unavailable.ts'
import {
  addMessages,
  deliveryJobs,
  endRemovedJob,
  removeOldHookCalls,
  findUsedKeys,
} from '../../record/outbox/index.ts'
import { weekOf } from '../profit/index.ts'
import { type DescribeDecisions, channelOf, NOTIFY_CHANNEL, notifyChannel } from './channels.ts'
import { type Notice, composeMorningSummary, composeProfitReport, localTime, NOTICE_KINDS, NOTICES } from './notices.ts'
import type { ChannelSettings } from './settings.ts'

const PROMPT_MS = 5 * SECOND
const SUMMARY_AT = '08:00'

const isWanted = ({ kinds }: ChannelSettings, { kind }: Pick<Notice, 'kind'>): boolean => kinds?.includes(kind) ?? true

/** Writes what a channel was not sent yet. */
async function queue(ctx: Context, channels: readonly ChannelSettings[], notices: readonly Notice[]): Promise<void> {
  const { store, clock } = ctx
  for (const settings of channels) {
    const channel = notifyChannel(settings)
    const wanted = notices.filter((notice) => isWanted(settings, notice))
    const sent = await findUsedKeys(
      store.db,
      channel,
      wanted.map(({ key }) => key),
    )
    const fresh = wanted.filter(({ key }) => !sent.has(key))
    if (fresh.length > 0)
      await store.transaction((tx) =>
        addMessages(
          tx,
          fresh.map(({ kind, key, occurredAt, data }) => ({
            channel,
            topic: key,
            kind,
            isFirst: true,
            occurredAt,
            onceKey: key,
            data,
          })),
          clock.now(),
        ),
      )
  }
}

async function queueSummaries(ctx: Context, channels: readonly ChannelSettings[]): Promise<void> {
  const { store, clock, config } = ctx
  for (const settings of channels) {
    const summaryAt = settings.summary_at ?? SUMMARY_AT
    if (!isWanted(settings, { kind: 'summary' }) || localTime(clock.now(), config.timeZone) < summaryAt) continue
    // Checked first: the summary needs a whole plan.
    const key = `summary ${localDay(clock.now(), config.timeZone)}`
    if ((await findUsedKeys(store.db, notifyChannel(settings), [key])).size > 0) continue
    await queue(ctx, [settings], [await composeMorningSummary(ctx, key)])
  }
}

/** On Mondays, and until Wednesday where the service did not run. */
async function queueProfitReports(ctx: Context, channels: readonly ChannelSettings[]): Promise<void> {
  const { store, clock, config } = ctx
  for (const settings of channels) {
    const reportAt = settings.summary_at ?? SUMMARY_AT
    if (!isWanted(settings, { kind: 'profit_report' }) || localTime(clock.now(), config.timeZone) < reportAt) continue
    const today = localDay(clock.now(), config.timeZone)
    const monday = weekOf(today)
    if (today > addDays(monday, 2)) continue
    const key = `profit ${monday}`
    if ((await findUsedKeys(store.db, notifyChannel(settings), [key])).size > 0) continue
    const report = await composeProfitReport(ctx, key, monday)
    if (report) await queue(ctx, [settings], [report])
  }
}

/** Composed for each channel at its own time. */
const COMPOSED = { summary: queueSummaries, profit_report: queueProfitReports }

/** Each kind by itself: one that cannot be found must not silence the others, nor hold back what they found. */
async function queueFound(ctx: Context, channels: readonly ChannelSettings[], isPrompt: boolean): Promise<void> {
  for (const kind of NOTICE_KINDS.filter((each) => (NOTICES[each].isPrompt ?? false) === isPrompt)) {
    const { find } = NOTICES[kind]
    try {
      if (find) await queue(ctx, channels, await find(ctx))
      else if (kind in COMPOSED) await COMPOSED[kind as keyof typeof COMPOSED](ctx, channels)
    } catch (err) {
      if (err instanceof StoreUnavailable) throw err
      ctx.log.error({ err, notices: kind }, 'notices could not be found')
    }
  }
}

export function notificationsJobs(ctx: Context, describeDecisions: DescribeDecisions): readonly Job[] {
  const { notify } = ctx
  const channels = notify?.channels ?? []
  const removed = endRemovedJob(ctx, {
    name: 'end-removed-notices',
    prefix: NOTIFY_CHANNEL,
    channels: channels.map(notifyChannel),
  })
  if (!notify || channels.length === 0) return [removed]
  return [
    removed,
    {
      name: 'find-prompt-notices',
      everyMs: PROMPT_MS,
      run: () => queueFound(ctx, channels, true),
    },
    {
      name: 'find-notices',
      everyMs: MINUTE,
      run: () => queueFound(ctx, channels, false),
    },
    {
      name: 'remove-hook-calls',
      everyMs: HOUR,
      run: () => removeOldHookCalls(ctx.store.db, ctx.clock.now() - DAY),
    },
    ...deliveryJobs(
      ctx,
      channels.map((settings) => channelOf(ctx, notify, settings, describeDecisions)),
    ),
  ]
}

export { type HookNeeds, type HookReply, receiveFeishu, receiveSlack } from './callbacks.ts'
export { NOTIFY_CHANNEL } from './channels.ts'
export { sendNotice } from './senders.ts'
export { configuredNotify, hasButtons } from './settings.ts'
