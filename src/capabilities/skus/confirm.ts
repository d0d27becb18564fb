/**
 * A person says which products are the same, or that they are not (4.2). Adds and confirms; only `rejected` takes away.
 * An entry that names the source `suggested` or `barcode` was read and sent back, so it changes nothing.
 */
import type { AliasesRequest } from '../../contract/catalog.ts'
import { namespaceOf } from '../../kernel/ids.ts'
import type { SkuId } from '../../kernel/ids.ts'
import { error, warning } from '../../kernel/message.ts'
import type { ErrorMessage, NoteMessage } from '../../kernel/message.ts'
import { accept, refuseAll } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import { recordEvent } from '../events/index.ts'
import type { Context } from '../context.ts'
import { aliasesChanged } from './alias-cache.ts'
import { comparePairs, pairKey, pairOf } from './aliases.ts'
import type { Pair, StoredSource } from './aliases.ts'
import { unlistedSkus } from './listed.ts'
import { confirmPair, pairsOf, rejectPair } from './records.ts'

/** Aliases one good may have, whoever made them. */
const KEPT_MAX = 500

interface Word extends Pair {
  readonly at: number
  readonly reject: boolean
}

type Needs = Pick<Context, 'store' | 'clock' | 'vendors'>

/** Whether the good of the path exists is the caller's to know; here only what is said of it is judged. */
export async function confirmAliases(
  { store, clock, vendors }: Needs,
  skuId: SkuId,
  request: AliasesRequest,
): Promise<Outcome<{ readonly messages: readonly NoteMessage[] }>> {
  const problems: ErrorMessage[] = []
  const messages: NoteMessage[] = []
  const words = new Map<string, Word>()
  request.aliases.forEach((alias, at) => {
    const other = alias.sku_id as SkuId
    const path = `$.aliases[${at}].sku_id`
    const registered = vendors.lookup(namespaceOf(other), path)
    if (!registered.ok) {
      problems.push(...registered.refusal.messages)
      return
    }
    if (namespaceOf(other) === namespaceOf(skuId)) {
      messages.push(warning('same_namespace', `${other} is in the namespace of ${skuId}: nothing was recorded`))
      return
    }
    if (alias.source === 'suggested' || alias.source === 'barcode') return
    const word = { ...pairOf(skuId, other), at, reject: alias.source === 'rejected' }
    const before = words.get(pairKey(word))
    if (before && before.reject !== word.reject)
      problems.push(error('invalid', `${other} is both confirmed and rejected`, path))
    words.set(pairKey(word), word)
  })
  if (problems.length > 0) return refuseAll(problems)
  if (words.size === 0) return accept({ messages })
  const confirmed = [...words.values()].filter(({ reject }) => !reject)
  const unlisted = await unlistedSkus(vendors, [...new Set(confirmed.flatMap(({ a, b }) => [a, b]))])
  if (!unlisted.ok) return unlisted
  for (const id of unlisted.value)
    messages.push(warning('unresolved_sku', `${namespaceOf(id)} does not list ${id}: it resolves once it is listed`))

  try {
    await store.transaction(async (tx) => {
      const stands = new Map((await pairsOf(tx, [skuId])).map((row) => [pairKey(row), row.source] as const))
      const said = [...words.values()].toSorted(comparePairs)
      const refused = said.filter((word) => word.reject && stands.get(pairKey(word)) === 'barcode').map(heldByCode)
      if (stands.size + said.length > KEPT_MAX)
        refused.push(error('invalid', `a good has at most ${KEPT_MAX} aliases`, '$.aliases'))
      if (refused.length > 0) throw new Refused(refused)
      const now = clock.now()
      const changed: Word[] = []
      for (const word of said) {
        if (!word.reject) {
          if (await confirmPair(tx, word, now)) changed.push(word)
        } else if (stands.get(pairKey(word)) !== 'rejected') {
          // A code may have made the link since it was read.
          if (!(await rejectPair(tx, word, now))) throw new Refused([heldByCode(word)])
          changed.push(word)
        }
      }
      if (changed.length === 0) return
      for (const word of changed) await recordEvent({ store, clock }, tx, eventOf(word, stands.get(pairKey(word))))
      await aliasesChanged(store, tx)
    })
  } catch (failure) {
    if (failure instanceof Refused) return refuseAll(failure.messages)
    throw failure
  }
  return accept({ messages })
}

const eventOf = ({ a, b, reject }: Word, before: StoredSource | undefined) => ({
  kind: 'replenishment' as const,
  summary: `Alias ${reject ? 'rejected' : 'confirmed'}: ${a} and ${b}`,
  reasoning: `${reject ? 'The operator said that they are not the same product' : 'The operator said that they are the same product'}; before, the alias was ${before ?? 'not known'}.`,
})

/** Leaves the transaction with nothing of the request written. */
class Refused extends Error {
  readonly messages: readonly ErrorMessage[]
  constructor(messages: readonly ErrorMessage[]) {
    super('refused')
    this.messages = messages
  }
}

/** Equal codes hold as long as both goods carry them; a better match confirmed by hand goes before them. */
const heldByCode = ({ at }: Word): ErrorMessage =>
  error(
    'invalid',
    'both goods carry the same code; confirm the right good instead, it is preferred',
    `$.aliases[${at}].source`,
  )
