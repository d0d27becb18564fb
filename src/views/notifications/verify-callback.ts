/** Verifies that a callback comes from Feishu or Slack, and reads who pressed what. Pure. */
import { createDecipheriv, createHmac, hash, timingSafeEqual } from 'node:crypto'
import { MINUTE, SECOND } from '../../kernel/clock.ts'
import type { FeishuSettings } from './settings.ts'

const LATE_MS = 5 * MINUTE

export interface Press {
  /** Unique per press: a repeated one decides nothing. */
  readonly id: string
  readonly approval: string
  readonly approved: boolean
  /** The answer to a question that offers several. */
  readonly option?: string | undefined
  readonly senderId: string
  readonly chatId: string
  /** Of Slack: where the message can be replaced later. */
  readonly responseUrl?: string | undefined
  /** Of Feishu: with it the card can be replaced later. */
  readonly updateToken?: string | undefined
}

export type Callback =
  | { readonly kind: 'press'; readonly press: Press }
  | { readonly kind: 'challenge'; readonly challenge: string }
  /** Genuine, and not about an approval. */
  | { readonly kind: 'other' }
  | { readonly kind: 'forged' }

export interface RawCallback {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly raw: Buffer
}

const FORGED: Callback = { kind: 'forged' }
const OTHER: Callback = { kind: 'other' }

/** Constant time, also for texts of different lengths. */
const isSame = (a: string, b: string): boolean =>
  timingSafeEqual(Buffer.from(hash('sha256', a, 'hex')), Buffer.from(hash('sha256', b, 'hex')))

const headerOf = ({ headers }: RawCallback, name: string): string => {
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}

const isTimely = (seconds: string, now: number): boolean =>
  /^\d{1,12}$/.test(seconds) && Math.abs(now - Number(seconds) * SECOND) <= LATE_MS

type Fields = Readonly<Record<string, unknown>>
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function parse(text: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** AES-256-CBC under the hash of the key; the first block is the initial vector. */
function decryptFeishu(encrypted: string, encryptKey: string): string | undefined {
  try {
    const bytes = Buffer.from(encrypted, 'base64')
    const decipher = createDecipheriv('aes-256-cbc', hash('sha256', encryptKey, 'buffer'), bytes.subarray(0, 16))
    return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]).toString()
  } catch {
    return undefined
  }
}

/**
 * With an encrypt key the body must be encrypted, and a press must be signed and timely. The verification token is
 * checked in either case.
 */
export function readFeishuCallback(
  call: RawCallback,
  { verification_token: expected, encrypt_key: encryptKey }: NonNullable<FeishuSettings['app']>,
  now: number,
): Callback {
  const outer = parse(call.raw.toString())
  if (!outer) return FORGED
  const text = encryptKey === undefined ? call.raw.toString() : decryptFeishu(textOf(outer['encrypt']), encryptKey)
  const body = text === undefined ? undefined : parse(text)
  if (!body) return FORGED
  const header = fieldsOf(body['header'])
  if (!isSame(textOf(header['token'] ?? body['token']), expected)) return FORGED
  // Feishu sends this once, unsigned, when the address is entered.
  if (body['type'] === 'url_verification') return { kind: 'challenge', challenge: textOf(body['challenge']) }
  if (encryptKey !== undefined && !isFeishuSigned(call, encryptKey, now)) return FORGED
  // Microseconds; a press without a signature is timely by its own word.
  const createdAt = textOf(header['create_time']).slice(0, -6)
  if (!isTimely(createdAt, now)) return FORGED
  if (header['event_type'] !== 'card.action.trigger') return OTHER
  const event = fieldsOf(body['event'])
  const { approval, approved, option } = fieldsOf(fieldsOf(event['action'])['value'])
  const id = textOf(header['event_id'])
  if (typeof approval !== 'string' || typeof approved !== 'boolean' || id === '') return OTHER
  const senderId = textOf(fieldsOf(event['operator'])['open_id'])
  const chatId = textOf(fieldsOf(event['context'])['open_chat_id'])
  const updateToken = textOf(event['token'])
  return {
    kind: 'press',
    press: {
      id,
      approval,
      approved,
      senderId,
      chatId,
      ...(typeof option === 'string' ? { option } : {}),
      ...(updateToken === '' ? {} : { updateToken }),
    },
  }
}

function isFeishuSigned(call: RawCallback, encryptKey: string, now: number): boolean {
  const timestamp = headerOf(call, 'x-lark-request-timestamp')
  const nonce = headerOf(call, 'x-lark-request-nonce')
  const expected = hash('sha256', Buffer.concat([Buffer.from(timestamp + nonce + encryptKey), call.raw]), 'hex')
  return isTimely(timestamp, now) && isSame(headerOf(call, 'x-lark-signature'), expected)
}

const slackSignature = (timestamp: string, raw: Buffer, secret: string): string =>
  `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(raw).digest('hex')}`

export function readSlackCallback(call: RawCallback, secret: string, now: number): Callback {
  const timestamp = headerOf(call, 'x-slack-request-timestamp')
  if (!isTimely(timestamp, now)) return FORGED
  if (!isSame(headerOf(call, 'x-slack-signature'), slackSignature(timestamp, call.raw, secret))) return FORGED
  const payload = parse(new URLSearchParams(call.raw.toString()).get('payload') ?? '')
  if (payload?.['type'] !== 'block_actions') return OTHER
  const action = fieldsOf(Array.isArray(payload['actions']) ? payload['actions'][0] : undefined)
  const isDecision = action['action_id'] === 'approve' || action['action_id'] === 'reject'
  const isAnswer = textOf(action['action_id']).startsWith('answer_')
  const answered = isAnswer ? (parse(textOf(action['value'])) ?? {}) : {}
  const approval = isAnswer ? textOf(answered['approval']) : textOf(action['value'])
  if ((!isDecision && !isAnswer) || approval === '') return OTHER
  const responseUrl = textOf(payload['response_url'])
  return {
    kind: 'press',
    press: {
      // Slack names no id; the trigger of a press is unique.
      id: textOf(payload['trigger_id']) || headerOf(call, 'x-slack-signature'),
      approval,
      approved: isAnswer || action['action_id'] === 'approve',
      ...(isAnswer ? { option: textOf(answered['option']) } : {}),
      senderId: textOf(fieldsOf(payload['user'])['id']),
      chatId: textOf(fieldsOf(payload['channel'])['id']),
      ...(responseUrl === '' ? {} : { responseUrl }),
    },
  }
}
