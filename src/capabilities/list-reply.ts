/**
 * A listing of everything that matches. It is read in chunks by keyset; what does not fit into the first is read while it is
 * sent, so that a list of any length holds only one chunk in memory.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

export interface Chunk<T, Place> {
  readonly entries: T[]
  /** Where the next chunk begins; undefined after the last. */
  readonly next: Place | undefined
}

interface ListReply<Member extends string, T> {
  readonly body: Record<Member, T[]>
  readonly long?: { readonly member: Member; readonly chunks: AsyncIterable<readonly T[]> }
}

export async function listReply<Member extends string, T, Place>(
  member: Member,
  read: (after: Place | undefined) => Promise<Chunk<T, Place>>,
): Promise<ListReply<Member, T>> {
  const first = await read(undefined)
  const body = (entries: T[]) => ({ [member]: entries }) as Record<Member, T[]>
  if (first.next === undefined) return { body: body(first.entries) }

  async function* chunks(): AsyncGenerator<readonly T[]> {
    let chunk = first
    while (true) {
      yield chunk.entries
      if (chunk.next === undefined) return
      await yieldToEventLoop()
      chunk = await read(chunk.next)
    }
  }
  return { body: body([]), long: { member, chunks: chunks() } }
}
