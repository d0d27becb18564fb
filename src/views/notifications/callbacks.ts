/**
 * A pressed button resolves an approval as POST /approvals/{id} does: the same handler, the same check of administrators
 * and chats, once. Whatever is forged, late or repeated decides nothing.
 */
import type { Handlers } from '../../contract/handlers.ts'
import type { Guard } from '../../contract/operation.ts'
import { runAs } from '../../kernel/caller.ts'
import { SECOND } from '../../kernel/clock.ts'
import { type Refusal, catchRefusal } from '../../kernel/outcome.ts'
import type { Context } from '../../context.ts'
import { findDecision } from '../../rules/approvals/index.ts'
import { insertHookCall } from '../../record/outbox/index.ts'
import { feishuResultCard } from './cards.ts'
import { postJson, sendFeishuReply } from './senders.ts'
import type { FeishuSettings, SlackSettings } from './settings.ts'
import { answeredText, pressedText, refusedText, workingText } from './texts.ts'
import { type Press, type RawCallback, readFeishuCallback, readSlackCallback } from './verify-callback.ts'

export interface HookReply {
  readonly status: number
  readonly body: object | undefined
}

export interface HookNeeds {
  readonly ctx: Context
  readonly handlers: Pick<Handlers, 'resolveApproval'>
  readonly checkGuard: (guard: Guard) => Promise<Refusal | undefined>
  /** For tests. */
  readonly replyWithinMs?: number
}

/** The chats wait three seconds for a reply, and approving may call a supplier or a machine. */
const REPLY_WITHIN_MS = 2 * SECOND

/** Undefined when it takes longer; it goes on all the same. */
async function waitFor<T>({ replyWithinMs = REPLY_WITHIN_MS }: HookNeeds, work: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), replyWithinMs)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const FORGED: HookReply = { status: 401, body: {} }
const NOTHING: HookReply = { status: 200, body: {} }

type Decided =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly code: string; readonly text: string }

async function decide(
  { ctx, handlers, checkGuard }: HookNeeds,
  channel: string,
  press: Press,
  language: 'en' | 'zh',
  requestId: string,
): Promise<Decided> {
  const { approval: id, approved, option, senderId, chatId } = press
  const showRefusal = ({ messages }: Refusal): Decided => {
    const [first] = messages
    return { ok: false, code: first?.code ?? '', text: refusedText(language, first?.code ?? '', first?.content ?? '') }
  }
  const isNew = await ctx.store.transaction((tx) => insertHookCall(tx, channel, press.id, ctx.clock.now()))
  if (!isNew) return { ok: false, code: 'repeated', text: refusedText(language, 'repeated', 'repeated') }
  // An answer to a question sends nothing, so it is given under the stop, too.
  const isQuestion = approved && (await findDecision(ctx.store.db, id))?.question !== undefined
  const denied = approved && !isQuestion ? await checkGuard('stop') : undefined
  if (denied) return showRefusal(denied)
  const call = {
    params: { id },
    query: {},
    body: {
      approved,
      ...(option === undefined ? {} : { option }),
      resolver: { channel: 'chat' as const, sender_id: senderId, chat_id: chatId },
    },
    context: { requestId, headers: {} },
  }
  // A channel passes on what a person pressed, as a bridge does; the administrators check applies to the person.
  const by = { name: `${channel}: ${senderId}`, role: 'bridge', keyId: `channel ${channel}` } as const
  const resolved = await runAs({ requestId, by }, () => catchRefusal(() => handlers.resolveApproval(call)))
  if (!resolved.ok) return showRefusal(resolved.refusal)
  return {
    ok: true,
    text: option === undefined ? pressedText(language, approved, senderId) : answeredText(language, option, senderId),
  }
}

export async function receiveFeishu(
  needs: HookNeeds,
  settings: FeishuSettings,
  call: RawCallback,
  requestId: string,
): Promise<HookReply> {
  const { clock } = needs.ctx
  const callback = settings.app ? readFeishuCallback(call, settings.app, clock.now()) : ({ kind: 'forged' } as const)
  if (callback.kind === 'forged') return FORGED
  if (callback.kind === 'challenge') return { status: 200, body: { challenge: callback.challenge } }
  if (callback.kind === 'other') return NOTHING
  const { press } = callback
  const language = settings.language ?? needs.ctx.config.language
  const work = decide(needs, settings.name, press, language, requestId)
  const decided = await waitFor(needs, work)
  if (!decided) {
    void reportLate(needs, work, (late) => reportToFeishu(needs.ctx, settings, press, late))
    return { status: 200, body: { toast: { type: 'info', content: workingText(language) } } }
  }
  const toast = { type: decided.ok ? 'success' : 'error', content: decided.text }
  const card = { type: 'raw', data: feishuResultCard(press.approval, decided.text) }
  return { status: 200, body: { toast, ...(isOver(decided) ? { card } : {}) } }
}

/** Somebody who may not decide changes nothing on the card: the others can still press. */
const isOver = (decided: Decided): boolean => decided.ok || decided.code === 'already_resolved'

/** If the report fails, the decision stands. */
async function reportLate(
  { ctx }: HookNeeds,
  work: Promise<Decided>,
  report: (decided: Decided) => Promise<unknown>,
): Promise<void> {
  try {
    await report(await work)
  } catch (err) {
    ctx.log.error({ err }, 'a pressed button could not be answered')
  }
}

const reportToFeishu = (ctx: Context, { app }: FeishuSettings, press: Press, decided: Decided): Promise<unknown> =>
  app
    ? sendFeishuReply(ctx, app, {
        text: decided.text,
        card: isOver(decided) ? feishuResultCard(press.approval, decided.text) : undefined,
        updateToken: press.updateToken,
      })
    : Promise.resolve()

export async function receiveSlack(
  needs: HookNeeds,
  settings: SlackSettings,
  call: RawCallback,
  requestId: string,
): Promise<HookReply> {
  const { ctx } = needs
  const secret = settings.signing_secret
  if (secret === undefined) return FORGED
  const callback = readSlackCallback(call, secret, ctx.clock.now())
  if (callback.kind === 'forged') return FORGED
  if (callback.kind !== 'press') return NOTHING
  const { press } = callback
  const work = decide(needs, settings.name, press, settings.language ?? needs.ctx.config.language, requestId)
  // The message is updated on its own, however long it takes.
  void reportLate(needs, work, (decided) => reportToSlack(ctx, press, decided))
  await waitFor(needs, work)
  return NOTHING
}

async function reportToSlack(ctx: Context, { responseUrl }: Press, decided: Decided): Promise<void> {
  if (responseUrl === undefined) return
  const { text } = decided
  await postJson(
    ctx,
    responseUrl,
    isOver(decided) ? { replace_original: true, text } : { replace_original: false, response_type: 'ephemeral', text },
  )
}
