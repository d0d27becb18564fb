/** Replies that were serialized beforehand, as JSON bytes in chunks. The HTTP layer puts the envelope in front of them. */
import type { Reply, Returns } from './handlers.ts'
import type { OperationId } from './operations.ts'

/** `body` is parsed from the chunks only when somebody asks for it; the HTTP layer does not. */
export const serializedReply = <K extends OperationId>(
  chunks: readonly Uint8Array[],
  extra: Pick<Reply<K>, 'capabilities'> = {},
): Reply<K> => ({
  ...extra,
  chunks,
  get body() {
    return JSON.parse(Buffer.concat(chunks).toString()) as Returns<K>
  },
})

const COMMA = Buffer.from(',')

/** The JSON of `{...before, [member]: [...entries], ...after}`; the entries are serialized already. */
export function serializedList(
  member: string,
  entries: readonly Uint8Array[],
  { before = {}, after = {} }: { readonly before?: object; readonly after?: object } = {},
): readonly Uint8Array[] {
  const head = JSON.stringify({ ...before, [member]: [] }).slice(0, -2)
  const tail = JSON.stringify(after).slice(1)
  const list = entries.flatMap((entry, i) => (i === 0 ? [entry] : [COMMA, entry]))
  return [Buffer.from(head), ...list, Buffer.from(tail === '}' ? ']}' : `],${tail}`)]
}
