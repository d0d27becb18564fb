/**
 * A listing without pages. It is read in chunks by keyset; later chunks are read while the reply is sent, so that only one
 * chunk of a list of any length is in memory.
 */
import { yieldToEventLoop } from './concurrency.ts'

export interface Chunk<T, Key> {
  readonly entries: T[]
  /** Where the next chunk begins; undefined after the last. */
  readonly next: Key | undefined
}

interface ListReply<Member extends string, T> {
  readonly body: Record<Member, T[]>
  readonly long?: { readonly member: Member; readonly chunks: AsyncIterable<readonly T[]> }
}

export async function listReply<Member extends string, T, Key>(
  member: Member,
  read: (after: Key | undefined) => Promise<Chunk<T, Key>>,
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
