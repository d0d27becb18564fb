/**
 * A queue at Amazon SQS, by its JSON protocol. Messages may come twice and in any order. One is deleted after it was stored;
 * until then the queue hands it out again. One that cannot be understood is named and put aside: it stays in the queue, out of
 * sight for 12 hours at a time, until the queue itself forgets it.
 */
import { createHash } from 'node:crypto'
import { DAY, HOUR, SECOND } from '../../kernel/clock.ts'
import type { AdapterNeeds } from '../adapter-module.ts'
import type { Failure, Result, UnreadableRow } from '../contract.ts'
import { fail, succeed } from '../result.ts'
import { connections, httpExchange } from '../upstream/exchange.ts'
import { firstCharacters, sanitizeText } from '../upstream/sanitize-text.ts'
import { type MessageKey, readMessage } from './decrypt.ts'
import { type QueueSettings, regionOf } from './settings.ts'
import { signRequest } from './sign.ts'

const BATCH = 10
/** Long polling: an empty queue answers after this time. Short enough for a service that stops. */
const WAIT_SECONDS = 5
/** Nobody else gets a message for as long as it takes to store it. */
const HIDDEN_SECONDS = 60
const ASIDE_SECONDS = (12 * HOUR) / SECOND
const BATCHES_AT_ONCE = 20
const RESPONSE_BYTES = 4 * 1024 * 1024
const ASIDE = 'queue/aside'
const ASIDE_MAX = 50
/** The longest that a queue keeps a message. */
const ASIDE_FOR_MS = 14 * DAY

export interface QueueMessage {
  readonly id: string
  readonly text: string
}

/** Stores the messages; by id, why one cannot be understood. What it throws leaves all of them in the queue. */
export type StoreMessages = (messages: readonly QueueMessage[]) => Promise<ReadonlyMap<string, string>>

interface Received {
  readonly id: string
  readonly receipt: string
  readonly body: string
}

interface AsideEntry {
  readonly id: string
  readonly problem: string
  readonly at: number
}

type Needs = Pick<AdapterNeeds, 'clock' | 'memory' | 'timeoutMs' | 'notice' | 'observe'>

export type MessageQueue = ReturnType<typeof messageQueue>

export function messageQueue(settings: QueueSettings, { clock, memory, timeoutMs, notice, observe }: Needs) {
  const url = new URL(settings.url)
  const upstream = connections(new URL(url.origin), { keepAlive: true })
  const credentials = {
    accessKey: settings.access_key,
    secretKey: settings.secret_key,
    region: regionOf(settings.url, settings.region) ?? '',
  }
  const keys = keysOf(settings)
  let asideRows: readonly UnreadableRow[] = []

  async function call(action: string, members: object, waitMs = 0): Promise<Result<Readonly<Record<string, unknown>>>> {
    const startedAt = performance.now()
    const body = JSON.stringify({ QueueUrl: settings.url, ...members })
    const headers = signRequest(
      {
        method: 'POST',
        url: new URL('/', url),
        headers: {
          host: url.host,
          'content-type': 'application/x-amz-json-1.0',
          'x-amz-target': `AmazonSQS.${action}`,
        },
        body,
      },
      credentials,
      { service: 'sqs', atMs: clock.now() },
    )
    const reply = await httpExchange(
      upstream,
      { method: 'POST', path: '/', headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) }, body },
      { timeoutMs: timeoutMs + waitMs, responseBytes: RESPONSE_BYTES },
    )
    const result =
      'failure' in reply
        ? fail(reply.isRequestWritten ? 'unknown' : 'unsent', 'The queue does not answer', { raw: reply.raw })
        : readReply(reply.status, reply.body)
    observe?.({
      operation: `queue_${action}`,
      outcome: result.ok ? 'ok' : result.reason,
      ...(!result.ok && result.raw !== undefined && { raw: result.raw }),
      durationMs: performance.now() - startedAt,
    })
    return result
  }

  async function receiveBatch(
    waitSeconds: number,
    hiddenSeconds = HIDDEN_SECONDS,
  ): Promise<Result<readonly Received[]>> {
    const reply = await call(
      'ReceiveMessage',
      { MaxNumberOfMessages: BATCH, WaitTimeSeconds: waitSeconds, VisibilityTimeout: hiddenSeconds },
      waitSeconds * SECOND,
    )
    if (!reply.ok) return reply
    const messages = reply.value['Messages'] ?? []
    if (!Array.isArray(messages)) return fail('unknown', 'The answer of the queue cannot be read', { raw: 'Messages' })
    const read = messages.flatMap((message: Record<string, unknown>) => {
      const { MessageId: id, ReceiptHandle: receipt, Body: body, MD5OfBody: md5 } = message
      if (typeof id !== 'string' || typeof receipt !== 'string' || typeof body !== 'string') return []
      // Damaged on the way: it comes again.
      if (typeof md5 === 'string' && md5 !== createHash('md5').update(body).digest('hex')) return []
      return [{ id, receipt, body }]
    })
    // One answer may hold a message twice.
    return succeed([...new Map(read.map((message) => [message.id, message])).values()])
  }

  async function rememberAside(entries: readonly AsideEntry[]): Promise<void> {
    for (;;) {
      const found = await memory.get(ASIDE)
      const known = ((found?.value ?? []) as readonly AsideEntry[]).filter(({ at }) => clock.now() - at < ASIDE_FOR_MS)
      const fresh = entries.filter(({ id }) => known.every((entry) => entry.id !== id))
      for (const { id, problem } of fresh) notice?.(`Message ${id} of the queue is put aside: ${problem}`)
      const all = [...known, ...fresh].slice(-ASIDE_MAX)
      const isSame = JSON.stringify(all) === JSON.stringify(found?.value ?? [])
      if (isSame || (await memory.put(ASIDE, all, found?.version ?? 0)) !== undefined) return
    }
  }

  /** Stores what waits, until the queue is empty. */
  async function receive(store: StoreMessages): Promise<Result<{ readonly messages: number }>> {
    let stored = 0
    for (let batches = 0; batches < BATCHES_AT_ONCE; batches += 1) {
      const received = await receiveBatch(batches === 0 ? WAIT_SECONDS : 0)
      if (!received.ok) return received
      if (received.value.length === 0) break
      const outcome = await storeBatch(received.value, store)
      if (!outcome.ok) return outcome
      stored += outcome.value
    }
    return succeed({ messages: stored })
  }

  async function storeBatch(received: readonly Received[], store: StoreMessages): Promise<Result<number>> {
    const readable = received.flatMap(({ id, body }) => {
      const text = readMessage(body, keys)
      return text === undefined ? [] : [{ id, text }]
    })
    const problems = await store(readable)
    const [done, aside] = [[] as Received[], [] as Received[]]
    for (const message of received)
      if (problems.has(message.id)) aside.push(message)
      else if (readable.some(({ id }) => id === message.id)) done.push(message)
    if (aside.length > 0) {
      const at = clock.now()
      await rememberAside(aside.map(({ id }) => ({ id: nameOf(id), problem: problems.get(id) ?? '', at })))
      const hidden = await call('ChangeMessageVisibilityBatch', {
        Entries: aside.map(({ receipt }, i) => ({
          Id: String(i),
          ReceiptHandle: receipt,
          VisibilityTimeout: ASIDE_SECONDS,
        })),
      })
      if (!hidden.ok) return hidden
    }
    if (done.length > 0) {
      const deleted = await call('DeleteMessageBatch', {
        Entries: done.map(({ receipt }, i) => ({ Id: String(i), ReceiptHandle: receipt })),
      })
      if (!deleted.ok) return deleted
    }
    return readable.length < received.length ? UNREADABLE : succeed(done.length)
  }

  return {
    receive,
    /** Looks whether the queue can be read and its messages be decrypted. All of them stay where they are. */
    async verify(): Promise<Result<unknown>> {
      const received = await receiveBatch(0, 0)
      if (!received.ok) return received
      return received.value.some(({ body }) => readMessage(body, keys) === undefined) ? UNREADABLE : received
    },
    /** Messages that were put aside; the same list while nothing changed. */
    async aside(): Promise<readonly UnreadableRow[]> {
      const known = ((await memory.get(ASIDE))?.value ?? []) as readonly AsideEntry[]
      const rows = known
        .filter(({ at }) => clock.now() - at < ASIDE_FOR_MS)
        .map(({ id, problem }): UnreadableRow => ({ kind: 'file', id: `message ${id}`, problem, detail: problem }))
      if (JSON.stringify(rows) !== JSON.stringify(asideRows)) asideRows = rows
      return asideRows
    },
    close: async () => upstream.close(),
  }
}

const UNREADABLE: Failure = fail('unknown', 'Messages of the queue are encrypted, and no key of the connection fits', {
  raw: 'encrypted',
})

const nameOf = (id: string): string => firstCharacters(sanitizeText(id), 80)

function keysOf(settings: QueueSettings): readonly MessageKey[] {
  const {
    encryption_key: key,
    encryption_iv: iv,
    previous_encryption_key: before,
    previous_encryption_iv: its,
  } = settings
  return [
    ...(key !== undefined && iv !== undefined ? [{ key, iv }] : []),
    ...(before !== undefined && its !== undefined ? [{ key: before, iv: its }] : []),
  ]
}

/** Errors that say that the account may not, by the end of their type. */
const REFUSED =
  /(?:AccessDenied|InvalidClientTokenId|UnrecognizedClient|SignatureDoesNotMatch|InvalidSignature|MissingAuthenticationToken|IncompleteSignature|ExpiredToken|OptInRequired|InvalidSecurity)/

function readReply(status: number, body: Buffer): Result<Readonly<Record<string, unknown>>> {
  let json: unknown
  try {
    json = JSON.parse(body.toString() || '{}')
  } catch {
    return fail('unknown', 'The answer of the queue cannot be read', { raw: `status ${status}` })
  }
  if (typeof json !== 'object' || json === null)
    return fail('unknown', 'The answer of the queue cannot be read', { raw: `status ${status}` })
  const fields = json as Readonly<Record<string, unknown>>
  if (status === 200) return succeed(fields)
  const type = typeof fields['__type'] === 'string' ? (fields['__type'].split('#').pop() ?? '') : ''
  const raw = firstCharacters(sanitizeText(type || `status ${status}`), 100)
  if (status === 401 || status === 403 || REFUSED.test(type))
    return fail('unauthorized', 'The queue refuses the access key', { raw })
  if (/Throttl|TooManyRequests|RequestLimit/.test(type) || status === 429)
    return fail('limited', 'The queue asks to slow down', { raw })
  if (/NonExistentQueue|QueueDoesNotExist/.test(type)) return fail('unknown', 'There is no such queue', { raw })
  return fail('unknown', 'The queue answers with an error', { raw })
}
