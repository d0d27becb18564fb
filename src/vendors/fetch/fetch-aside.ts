/** Fetches beside the requests, in a thread with bounded memory and time. The thread ends with the round. */
import { Worker } from 'node:worker_threads'
import { programFile } from '../../lib/program-file.ts'
import type { FetchLimits, FetchTask, FetchedItem, FromThread } from './fetch-messages.ts'
import type { FetchSettings } from './settings.ts'

const MB = 1024 * 1024

export const FETCH_LIMITS: FetchLimits = {
  fileBytes: 16 * MB,
  mailBytes: 40 * MB,
  filesPerMail: 20,
  itemsPerRound: 50,
  connectMs: 15_000,
  itemMs: 60_000,
  roundMs: 180_000,
}

const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 }
/** Threads that one round may lose. */
const THREADS_MAX = 12

const THREAD = programFile('fetch-thread', import.meta.url)

/** What was read, or why nothing could be. */
export type Fetched = { readonly ok: true } | { readonly ok: false; readonly problem: string }

export async function testFetch(
  settings: FetchSettings,
  now: number,
  limits = FETCH_LIMITS,
): Promise<{ readonly ok: true; readonly says: readonly string[] } | { readonly ok: false; readonly problem: string }> {
  let says: readonly string[] = []
  const ended = await runThread(
    { settings, mode: 'test', known: new Set(), passed: new Set(), limits, now },
    limits.roundMs,
    {
      store: async () => {},
      tested: (sentences) => {
        says = sentences
      },
    },
  )
  return ended.kind === 'done'
    ? { ok: true, says }
    : { ok: false, problem: ended.kind === 'failed' ? ended.problem : NO_ANSWER(settings) }
}

const NO_ANSWER = ({ host }: FetchSettings): string => `${host} does not answer in time`

/**
 * One round. `store` keeps an item; what it throws ends the round, and the item comes again. An item at which a thread ends twice
 * is passed over. Where others could be read it is the item that is wrong, and `store` gets it as one that cannot be used.
 */
export async function fetchFiles(
  { settings, known, now }: Pick<FetchTask, 'settings' | 'known' | 'now'>,
  store: (item: FetchedItem) => Promise<void>,
  limits = FETCH_LIMITS,
): Promise<Fetched> {
  const handled = new Set(known)
  const passed = new Map<string, string>()
  let tried: string | undefined
  let problem = NO_ANSWER(settings)
  const keep = async (item: FetchedItem) => {
    await store(item)
    handled.add(item.key)
  }
  const endsAt = performance.now() + limits.roundMs
  for (let threads = 0; threads < THREADS_MAX; threads += 1) {
    const left = endsAt - performance.now()
    if (left <= 0) break
    const task = { settings, mode: 'fetch', known: handled, passed: new Set(passed.keys()), limits, now } as const
    const ended = await runThread(task, left, { store: keep })
    if (ended.kind === 'late') break
    if (ended.kind === 'failed') problem = ended.problem
    if (ended.kind === 'failed' && !ended.item) return { ok: false, problem }
    if (ended.kind === 'done') {
      if (passed.size === 0) return { ok: true }
      if (handled.size === known.size) return { ok: false, problem: `${problem} (${[...passed.values()].join(', ')})` }
      for (const [key, label] of passed)
        await keep({ key, label, isProven: false, files: [], problems: [{ name: label, problem: BREAKS }] })
      return { ok: true }
    }
    if (!ended.item) return { ok: false, problem }
    const { key, label } = ended.item
    if (tried === key) passed.set(key, label)
    tried = key
  }
  return { ok: false, problem }
}

const BREAKS = 'reading it takes too much time or memory, or breaks off each time'

type Ended =
  | { readonly kind: 'done' }
  /** `item`: at which it happened. */
  | { readonly kind: 'failed'; readonly problem: string; readonly item: ItemName | undefined }
  | { readonly kind: 'broken'; readonly item: ItemName | undefined }
  /** The round took too long. */
  | { readonly kind: 'late' }

interface ItemName {
  readonly key: string
  readonly label: string
}

interface Uses {
  readonly store: (item: FetchedItem) => Promise<void>
  readonly tested?: (sentences: readonly string[]) => void
}

async function runThread(task: FetchTask, timeMs: number, { store, tested }: Uses): Promise<Ended> {
  const worker = new Worker(THREAD, { workerData: task, resourceLimits: MEMORY, stdout: true, stderr: true })
  const { promise, resolve, reject } = Promise.withResolvers<Ended>()
  const round = setTimeout(() => resolve({ kind: 'late' }), timeMs)
  let current: ItemName | undefined
  let itemTimer: NodeJS.Timeout | undefined
  const broken = (): void => resolve({ kind: 'broken', item: current })
  worker.on('message', (message: FromThread) => {
    if ('begin' in message) {
      current = message.begin
      clearTimeout(itemTimer)
      itemTimer = setTimeout(broken, task.limits.itemMs)
    } else if ('item' in message) {
      clearTimeout(itemTimer)
      // From here on a failure is not the item's.
      current = undefined
      // eslint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
      store(message.item).then(() => worker.postMessage('stored'), reject)
    } else if ('tested' in message) tested?.(message.tested)
    else if ('failed' in message) resolve({ kind: 'failed', problem: message.failed, item: current })
    else resolve({ kind: 'done' })
  })
  worker.on('error', broken)
  worker.on('exit', broken)
  try {
    return await promise
  } finally {
    clearTimeout(round)
    clearTimeout(itemTimer)
    await worker.terminate()
  }
}
