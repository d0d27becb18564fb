/** One request to the endpoint of the model, repeated where it says that it is busy, within the time that is left. */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { SECOND } from '../../../kernel/clock.ts'
import type { ModelSettings } from '../../../config/operator-model.ts'
import { postMessage } from '../../../lib/outbound/post-message.ts'
import type { Reason } from './reasons.ts'
import { protocolOf } from './protocol.ts'

const REPLY_BYTES_MAX = 1_000_000
const ATTEMPTS_MAX = 3
/** Busy, or failed in a way that may pass. */
const PASSING: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504, 529])
const SHOWN_MAX = 300

/** Undefined: the endpoint needs none. Throws where its file cannot be read. */
export const readKey = ({ key, keyFile }: ModelSettings): string | undefined =>
  keyFile === undefined ? key : readFileSync(keyFile, 'utf8').trim()

/** What an endpoint says may repeat the key. */
const withoutKey = (text: string, key: string | undefined): string =>
  key === undefined || key === '' ? text : text.replaceAll(key, '[removed]')

export type Asked = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: Reason }

interface AskOptions {
  readonly key: string | undefined
  /** Milliseconds that are left. */
  readonly left: () => number
  /** Before each further attempt; throws where there must be none. */
  readonly beforeRetry: (what: string) => Promise<void>
}

export async function askModel(settings: ModelSettings, body: string, options: AskOptions): Promise<Asked> {
  const { key, left, beforeRetry } = options
  const protocol = protocolOf(settings)
  for (let attempt = 1; ; attempt++) {
    const timeoutMs = Math.min(settings.timeoutMs, left())
    const reply = await postMessage(
      {
        url: protocol.path(settings.url),
        headers: { 'content-type': 'application/json', ...protocol.headers(key) },
        body: Buffer.from(body),
      },
      { timeoutMs, replyBytes: REPLY_BYTES_MAX, mayBeLocal: true },
    )
    const isSent = 'status' in reply
    if (isSent && reply.status === 200) {
      const text = withoutKey(reply.body.toString('utf8'), key)
      return reply.isWhole ? { ok: true, text } : { ok: false, reason: { unreadable: 'it was cut off' } }
    }
    const what = isSent
      ? `${reply.status} ${withoutKey(reply.body.toString('utf8'), key).slice(0, SHOWN_MAX)}`
      : reply.failure
    const reason: Reason = isSent ? { status: reply.status } : { unreachable: reply.failure }
    const waitMs = isSent ? retryAfterMs(reply.retryAfter, settings.retryMs) : settings.retryMs
    // What took too long once would again.
    const mayPass = isSent ? PASSING.has(reply.status) : !reply.failure.startsWith('no reply')
    if (!mayPass || attempt === ATTEMPTS_MAX || waitMs >= left()) return { ok: false, reason }
    await sleep(waitMs)
    await beforeRetry(what)
  }
}

/** Only seconds: a date is read by nobody's clock but theirs. */
const retryAfterMs = (header: string | undefined, otherwise: number): number =>
  header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * SECOND : otherwise
