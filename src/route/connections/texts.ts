/** The sentences of events about connections and packs. */
import { type Namespace, skuIdOf } from '../../kernel/ids.ts'
import { callerName } from '../../kernel/caller.ts'
import { count, withId } from '../../kernel/text.ts'
import type { AskedPack } from '../../vendors/packs.ts'
import type { OwnEvent } from '../../record/events/index.ts'
import type { PackSubject } from './pack-records.ts'

export function packStated(
  namespace: Namespace,
  subjects: readonly PackSubject[],
  contains: number | null,
  asked: readonly AskedPack[],
): OwnEvent {
  const [{ text, vendorSku } = { text: '' }] = subjects
  const title = asked.find((pack) => pack.vendorSku === vendorSku)?.title
  const product = vendorSku === undefined ? undefined : withId(title, skuIdOf(namespace, vendorSku) ?? vendorSku)
  const more = subjects.length - 1
  const whose = product === undefined ? '' : ` of ${product}${more > 0 ? ` and ${count(more, 'more product')}` : ''}`
  const pack = text === '' ? 'the pack' : `the pack "${text}"`
  const params = {
    connection: namespace,
    ...(text !== '' && { pack: text }),
    ...(product !== undefined && { product }),
    ...(more > 0 && { more }),
  }
  return contains === null
    ? {
        kind: 'sync',
        code: 'pack_size_withdrawn',
        params,
        summary: `${namespace}: the size of ${pack}${whose} has to be entered again`,
        reasoning: 'Taken back. Products whose pack size nothing else gives cannot be ordered.',
      }
    : {
        kind: 'sync',
        code: 'pack_size_stated',
        params: { ...params, items: contains },
        summary: `${namespace}: ${pack}${whose} holds ${count(contains, 'unit')}`,
        reasoning: 'The price list does not state it for certain, so somebody has to. Orders count by it.',
      }
}

const DONE = {
  connection_added: 'was added',
  connection_changed: 'was changed',
  connection_removed: 'was removed',
} as const

/** Never its settings. */
export const connectionEvent = (code: keyof typeof DONE, namespace: Namespace, adapter: string): OwnEvent => ({
  kind: 'guardrail',
  code,
  params: { connection: namespace, adapter, by: callerName() },
  summary: `The connection ${namespace} (${adapter}) ${DONE[code]} by ${callerName()}`,
  reasoning: 'It decides where goods are bought and which machines are read.',
})

export const fetchAsideEvent = (namespace: Namespace, name: string, source: string, problem: string): OwnEvent => ({
  kind: 'sync',
  code: 'fetch_set_aside',
  params: { connection: namespace, file: name, source, problem },
  summary: `${namespace}: ${name} of the ${source} is not used: ${problem}`,
  reasoning: 'It is named with the connection. The others were read.',
})

export const fetchFailedEvent = (namespace: Namespace, problem: string): OwnEvent => ({
  kind: 'sync',
  code: 'fetch_failed',
  params: { connection: namespace, problem },
  summary: `${namespace}: files could not be fetched: ${problem}`,
  reasoning: 'The next round, in ten minutes, tries again. Nothing was marked or moved.',
})

const FILE_DONE = {
  file_used: 'is used',
  file_waiting: 'waits for the word of an owner',
  file_discarded: 'was discarded',
} as const

export const fileEvent = (
  code: keyof typeof FILE_DONE,
  { namespace, kind, name }: { readonly namespace: Namespace; readonly kind: string; readonly name: string },
  says: string,
): OwnEvent => ({
  kind: 'sync',
  code,
  params: { connection: namespace, file: name, file_kind: kind, by: callerName() },
  summary: `${namespace}: the file ${name} (${kind}) ${FILE_DONE[code]}, by ${callerName()}`,
  reasoning: says,
})
