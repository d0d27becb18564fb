/**
 * A reply that was written beforehand, as bytes in pieces: they are sent as they are, a long one piece by piece. Whoever
 * sends them asks for no body, so there is none until somebody does.
 */
import type { Reply, Returns } from './handlers.ts'
import type { CapabilityName } from './capabilities.ts'
import type { OperationId } from './operations.ts'

export const readyReply = <K extends OperationId>(
  chunks: readonly Uint8Array[],
  capabilities?: readonly CapabilityName[],
): Reply<K> => ({
  chunks,
  ...(capabilities ? { capabilities } : {}),
  get body() {
    const { ucp: _, ...body } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly ucp: unknown }
    return body as Returns<K>
  },
})

const COMMA = Buffer.from(',')

/** The members of a JSON list, one after the other. */
export const joinWithCommas = (members: readonly Uint8Array[]): readonly Uint8Array[] =>
  members.flatMap((member, i) => (i === 0 ? [member] : [COMMA, member]))
