/**
 * The picture of a machine product, fetched from where its platform keeps it. Browsers get it from this service, so the
 * other host learns nothing of them and the console needs no other host. Nothing is stored; browsers keep it for a day.
 */
import type { Context } from '../../context.ts'
import { MINUTE } from '../../kernel/clock.ts'
import type { SkuId } from '../../kernel/ids.ts'
import { BoundedMap } from '../../lib/caches.ts'
import { postMessage } from '../../lib/outbound/post-message.ts'
import { semaphore } from '../../lib/concurrency.ts'
import { findImageUrl } from './carried-product-records.ts'

export interface Picture {
  readonly type: string
  readonly bytes: Buffer
}

const BYTES_MAX = 2 * 1024 * 1024
const TIMEOUT_MS = 5000
const CONCURRENT_MAX = 6
const QUEUE_MAX = 200
/** A host that does not answer is left alone for this long. */
const FAILED_MS = 10 * MINUTE
const FAILURES_MAX = 2000

/** By the first bytes: a stated type could make a page of something that is no picture. */
export function pictureType(bytes: Buffer): string | undefined {
  const textAt = (from: number, to: number) => bytes.toString('latin1', from, to)
  if (bytes[0] === 0x89 && textAt(1, 6) === 'PNG\r\n') return 'image/png'
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'image/jpeg'
  if (textAt(0, 6) === 'GIF87a' || textAt(0, 6) === 'GIF89a') return 'image/gif'
  if (textAt(0, 4) === 'RIFF' && textAt(8, 12) === 'WEBP') return 'image/webp'
  return undefined
}

/** Undefined: there is none, or it cannot be fetched now. */
type LoadPicture = (skuId: SkuId) => Promise<Picture | undefined>

export function pictureLoader({ store, clock, config }: Pick<Context, 'store' | 'clock' | 'config'>): LoadPicture {
  const permits = semaphore(CONCURRENT_MAX, QUEUE_MAX)
  const failedAt = new BoundedMap<string, number>(FAILURES_MAX)

  async function fetchPicture(url: string): Promise<Picture | undefined> {
    const reply = await postMessage(
      { url, method: 'GET', headers: { accept: 'image/*' }, body: Buffer.alloc(0) },
      { timeoutMs: TIMEOUT_MS, replyBytes: BYTES_MAX, mayBeLocal: config.env === 'staging' },
    )
    if ('failure' in reply || reply.status !== 200 || !reply.isWhole) return undefined
    const type = pictureType(reply.body)
    return type === undefined ? undefined : { type, bytes: reply.body }
  }

  return async (skuId) => {
    const url = await findImageUrl(store.db, skuId)
    if (url === undefined || (failedAt.get(url) ?? -Infinity) > clock.now() - FAILED_MS) return undefined
    const release = await permits.acquire(TIMEOUT_MS)
    if (!release) return undefined
    try {
      const picture = await fetchPicture(url)
      if (!picture) failedAt.set(url, clock.now())
      return picture
    } finally {
      release()
    }
  }
}
