/** Sends a notice on a channel, in the form of its provider. */
import { createHmac } from 'node:crypto'
import { rfc3339, SECOND } from '../../kernel/clock.ts'
import { type OutboundFailure, type OutboundReply, postMessage } from '../../lib/outbound/post-message.ts'
import type { Context } from '../../context.ts'
import type { OutboxMessage, SendResult } from '../../record/outbox/index.ts'
import { resultOf, signedRequest } from '../webhooks/index.ts'
import { type CardText, feishuCard, slackBlocks } from './cards.ts'
import { FEISHU_API } from './settings.ts'
import type { ChannelSettings, EmailSettings, FeishuSettings, SlackSettings, WebhookSettings } from './settings.ts'

const LIMITS = { timeoutMs: 10 * SECOND, replyBytes: 64 * 1024 }
const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'vendops' }

export interface Outgoing extends CardText {
  readonly message: Pick<OutboxMessage, 'id' | 'kind' | 'occurredAt'>
  readonly data: object
  /** How many notices it stands for. */
  readonly count: number
}

type Needs = Pick<Context, 'clock' | 'config' | 'signingKeys'>

export function sendNotice(ctx: Needs, channel: ChannelSettings, outgoing: Outgoing): Promise<SendResult> {
  if (channel.type === 'webhook') return sendWebhook(ctx, channel, outgoing)
  if (channel.type === 'slack') return sendSlack(ctx, channel, outgoing)
  if (channel.type === 'email') return sendEmail(channel, outgoing)
  return channel.app ? sendFeishuApp(ctx, channel.app, outgoing) : sendFeishuBot(ctx, channel, outgoing)
}

export const postJson = (
  { config }: Pick<Context, 'config'>,
  url: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<OutboundReply | OutboundFailure> =>
  postMessage(
    { url, headers: { ...JSON_HEADERS, ...headers }, body: Buffer.from(JSON.stringify(body)) },
    { ...LIMITS, mayBeLocal: config.env === 'staging' },
  )

async function sendWebhook(ctx: Needs, { url }: WebhookSettings, outgoing: Outgoing): Promise<SendResult> {
  const { clock, config, signingKeys } = ctx
  const key = signingKeys.currentKey()
  if (!key) return { outcome: 'retry', error: 'there is no signing key' }
  const { message, title, text, link, approval, data, count } = outgoing
  const body = Buffer.from(
    JSON.stringify({
      id: message.id,
      kind: message.kind,
      occurred_at: rfc3339(message.occurredAt, config.timeZone),
      title,
      text,
      url: link,
      ...(approval === undefined ? {} : { approval: { id: approval } }),
      data: { ...data, ...(count > 1 ? { count } : {}) },
    }),
  )
  const request = signedRequest({ ...message, url, publicUrl: config.publicUrl, body }, key, clock.now())
  const reply = await postMessage(request, { ...LIMITS, mayBeLocal: config.env === 'staging' })
  return resultOf(reply, clock.now())
}

/** Too many messages: of the platform, of the tenant, of a custom bot, of a chat. */
const FEISHU_LIMITED: ReadonlySet<number> = new Set([99_991_400, 11_232, 11_233, 9499, 230_020])
/** Token, app, signature or address of ours; the bot is not in the chat, or off: no message would be taken. */
const FEISHU_REFUSED: ReadonlySet<number> = new Set([
  10_003, 10_012, 10_013, 10_014, 19_001, 19_021, 19_022, 99_991_661, 99_991_663, 99_991_664, 99_991_665, 99_991_668,
  99_991_671, 230_002, 230_006,
])

/** Feishu answers 200 or 400 to what it refuses; the code says why. */
function feishuResult(reply: OutboundReply | OutboundFailure, now: number): SendResult {
  const result = resultOf(reply, now)
  if (!('body' in reply) || (reply.status !== 400 && result.outcome !== 'delivered')) return result
  const code = feishuCode(reply.body)
  if (code === 0) return result
  const error = `Feishu code ${code ?? 'missing'}`
  if (code !== undefined && FEISHU_LIMITED.has(code)) return { outcome: 'retry', status: 429, error }
  const isOurs = code !== undefined && FEISHU_REFUSED.has(code)
  // Without a status: once that is repaired, what waits goes out at once.
  return { outcome: 'retry', error, ...(isOurs ? { fault: 'receiver' } : { status: 400 }) }
}

function feishuCode(body: Buffer): number | undefined {
  try {
    const { code, StatusCode } = JSON.parse(body.toString()) as { code?: unknown; StatusCode?: unknown }
    const found = code ?? StatusCode
    return typeof found === 'number' ? found : undefined
  } catch {
    return undefined
  }
}

/** The signature of a custom bot: the timestamp and the secret are the key, and nothing is signed with it. */
const feishuBotSignature = (timestamp: string, secret: string): string =>
  createHmac('sha256', `${timestamp}\n${secret}`).digest('base64')

async function sendFeishuBot(
  ctx: Needs,
  { webhook = '', secret }: FeishuSettings,
  outgoing: Outgoing,
): Promise<SendResult> {
  const timestamp = String(Math.floor(ctx.clock.now() / SECOND))
  const signed = secret === undefined ? {} : { timestamp, sign: feishuBotSignature(timestamp, secret) }
  // A custom bot has no callbacks, so its card has no buttons but the link.
  const card = feishuCard({ ...outgoing, approval: undefined })
  const reply = await postJson(ctx, webhook, { ...signed, msg_type: 'interactive', card })
  return feishuResult(reply, ctx.clock.now())
}

type FeishuApp = NonNullable<FeishuSettings['app']>

/** A call in the name of the app; the token is fetched for each. */
async function callFeishu(ctx: Needs, app: FeishuApp, path: string, body: object): Promise<SendResult> {
  const { clock } = ctx
  const api = app.api ?? FEISHU_API
  const granted = await postJson(ctx, `${api}/open-apis/auth/v3/tenant_access_token/internal`, {
    app_id: app.id,
    app_secret: app.secret,
  })
  const grant = feishuResult(granted, clock.now())
  // Without a token no message can be sent.
  if (grant.outcome === 'retry') return { ...grant, fault: 'receiver' }
  if (grant.outcome !== 'delivered' || !('body' in granted)) return grant
  const { tenant_access_token: token } = JSON.parse(granted.body.toString()) as { tenant_access_token?: string }
  const reply = await postJson(ctx, `${api}/open-apis/${path}`, body, { authorization: `Bearer ${token ?? ''}` })
  return feishuResult(reply, clock.now())
}

const MESSAGES = 'im/v1/messages?receive_id_type=chat_id'

/** The uuid makes a repeated message within an hour the same one. */
const sendFeishuApp = (ctx: Needs, app: FeishuApp, outgoing: Outgoing): Promise<SendResult> =>
  callFeishu(ctx, app, MESSAGES, {
    receive_id: app.chat_id,
    msg_type: 'interactive',
    content: JSON.stringify(feishuCard(outgoing)),
    uuid: outgoing.message.id,
  })

/** What became of a press whose reply could not wait: on its card, or as a message where the card stays as it is. */
export const sendFeishuReply = (
  ctx: Needs,
  app: FeishuApp,
  {
    text,
    card,
    updateToken,
  }: { readonly text: string; readonly card: object | undefined; readonly updateToken: string | undefined },
): Promise<SendResult> =>
  card !== undefined && updateToken !== undefined
    ? callFeishu(ctx, app, 'interactive/v1/card/update', { token: updateToken, card })
    : callFeishu(ctx, app, MESSAGES, {
        receive_id: app.chat_id,
        msg_type: 'text',
        content: JSON.stringify({ text }),
      })

async function sendSlack(ctx: Needs, { webhook, signing_secret: secret }: SlackSettings, outgoing: Outgoing) {
  const blocks = slackBlocks(secret === undefined ? { ...outgoing, approval: undefined } : outgoing)
  const reply = await postJson(ctx, webhook, { text: outgoing.title, blocks })
  return resultOf(reply, ctx.clock.now())
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The same id gives the same Message-ID: a mailbox that sees it twice shows it once. */
async function composeMail({ from, to }: EmailSettings, outgoing: Outgoing): Promise<Buffer> {
  const { message, title, text, link, words } = outgoing
  // Loaded with the first mail: most deployments send none.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  return new MailComposer({
    from,
    to: [...to],
    messageId: `<${message.id}@vendops>`,
    subject: title.replaceAll(/\s+/g, ' '),
    text: `${text}\n\n${link}\n`,
    html: `<h2>${escapeHtml(title)}</h2><p>${escapeHtml(text).replaceAll('\n', '<br>')}</p><p><a href="${escapeHtml(link)}">${words.open}</a></p>`,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build()
}

/** `v@example.com` of `Vendops <v@example.com>`. */
const addressOf = (text: string): string => /<([^>]+)>\s*$/.exec(text)?.[1] ?? text

async function sendEmail(settings: EmailSettings, outgoing: Outgoing): Promise<SendResult> {
  const { exchangeMail, parseServer } = await import('../../lib/outbound/smtp.ts')
  const text = await composeMail(settings, outgoing)
  try {
    await exchangeMail({
      server: parseServer(settings.smtp),
      from: addressOf(settings.from),
      to: settings.to.map(addressOf),
      bytes: text.length,
      text,
      timeoutMs: LIMITS.timeoutMs,
    })
    return { outcome: 'delivered' }
  } catch (failure) {
    // Its text may hold the address of the server or a user name.
    const { responseCode, code } = failure as { readonly responseCode?: number; readonly code?: string }
    const error = `SMTP ${responseCode ?? code ?? 'failed'}`
    // Credentials and TLS concern every message; a refused text or recipient only this one.
    const isRefused = responseCode !== undefined && responseCode >= 500 && code !== 'EAUTH'
    return { outcome: 'retry', error, ...(isRefused ? { status: 400 } : {}) }
  }
}
