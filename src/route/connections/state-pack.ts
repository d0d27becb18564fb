/**
 * Somebody says how many items a pack holds that the supplier's list leaves open: for a text, or for a text at single
 * articles, which comes before it. What it concerns can be ordered as soon as this is answered.
 */
import type { PackList, PackRequest } from '../../contract/shapes/connection.ts'
import { currentCaller } from '../../kernel/caller.ts'
import { type Namespace, type SkuId, namespaceOf, vendorSkuOf } from '../../kernel/ids.ts'
import { agreesWithEach, saysNoNumber } from '../../kernel/pack.ts'
import { type Outcome, RefusedError, accept, catchRefusal, refuse } from '../../kernel/outcome.ts'
import { type AskedPack, packText } from '../../vendors/packs.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import { recordEvent } from '../../record/events/index.ts'
import { hasSeparationOfDuties } from '../../rules/people/index.ts'
import { type Deps, findPackVendor, viewPacks } from './list-packs.ts'
import { type PackSubject, saveStatedPack } from './pack-records.ts'
import { packStated } from './texts.ts'

export async function statePack(
  ctx: Deps,
  namespaceText: string,
  body: PackRequest,
): Promise<Outcome<Omit<PackList, 'ucp'>>> {
  const found = findPackVendor(ctx, namespaceText)
  if (!found.ok) return found
  const { namespace, vendor } = found.value
  const { contains } = body
  const subjects = subjectsOf(namespace, body)
  if (!subjects.ok) return subjects
  // As the list is now, not as it was a minute ago.
  const before = await vendor.catalog({ live: true })
  if (!before.ok) return toRefusal(before)
  const asked = vendor.askedPacks() ?? []
  const concerned = concernedBy(asked, subjects.value)
  if (contains !== null && isOpenForEach(body, concerned)) return askForEach(subjects.value, concerned, contains)
  for (const [i, subject] of subjects.value.entries()) {
    const path = subject.vendorSku === undefined ? undefined : `$.sku_ids[${i}]`
    const allowed = contains === null ? accept(undefined) : checkWord(concerned, subject, contains, path)
    if (!allowed.ok) return allowed
  }
  const stored = await catchRefusal(async () =>
    accept(
      await ctx.store.transaction(async (tx) => {
        // Whatever the HTTP layer knew: an owner key may have been created on another instance a moment ago.
        if (currentCaller()?.by?.role !== 'owner' && (await hasSeparationOfDuties(tx)))
          throw new RefusedError(refuse('forbidden', 'Only an owner may state the size of a pack').refusal)
        const changed: PackSubject[] = []
        for (const subject of subjects.value)
          if (await saveStatedPack(ctx, tx, namespace, subject, contains, isWaiting(concerned, subject)))
            changed.push(subject)
        if (changed.length > 0) await recordEvent(ctx, tx, packStated(namespace, changed, contains, asked))
      }),
    ),
  )
  if (!stored.ok) return stored
  // What was said counts from here on; a list that cannot be read now is read with it later.
  await vendor.catalog({ live: true })
  return viewPacks(ctx, namespace, vendor, {})
}

function subjectsOf(
  namespace: Namespace,
  { text: stated, sku_ids: ids }: PackRequest,
): Outcome<readonly PackSubject[]> {
  const text = packText(stated)
  if (!ids)
    return text === ''
      ? refuse('invalid', 'These packs have no text, so each product has to be named', '$.sku_ids')
      : accept([{ text }])
  const other = ids.findIndex((id) => namespaceOf(id as SkuId) !== namespace)
  if (other >= 0) return refuse('namespace_mismatch', `${ids[other]} is not of ${namespace}`, `$.sku_ids[${other}]`)
  return accept([...new Set(ids)].map((id) => ({ text, vendorSku: vendorSkuOf(id as SkuId) })))
}

/** Of a text like "CS" nobody knows whether every article means the same, nor those of the next list. */
const isOpenForEach = (
  { text, sku_ids: ids, same_for_all: isSame }: PackRequest,
  concerned: readonly AskedPack[],
): boolean => !ids && !isSame && saysNoNumber(text) && concerned.length > 0

const NAMED = 3

function askForEach([{ text } = { text: '' }]: readonly PackSubject[], packs: readonly AskedPack[], contains: number) {
  const titles = packs.slice(0, NAMED).map(({ title }) => title)
  const named = [...titles, ...(packs.length > NAMED ? [`${packs.length - NAMED} more`] : [])].join(', ')
  return refuse(
    'confirmation_required',
    `The pack "${text}" gives no number and may differ from product to product (${named}). Name the products in sku_ids, or say same_for_all if every one, also of later lists, holds ${contains}`,
    '$.same_for_all',
  )
}

/** The list may have 200,000 articles, so it is searched once for all that are named. */
function concernedBy(asked: readonly AskedPack[], subjects: readonly PackSubject[]): readonly AskedPack[] {
  const [{ text, vendorSku } = { text: '' }] = subjects
  const named = vendorSku === undefined ? undefined : new Set(subjects.map((subject) => subject.vendorSku))
  return asked.filter((pack) => pack.text === text && (!named || named.has(pack.vendorSku)))
}

/** The article is asked about again: its price moved since the word. */
const isWaiting = (packs: readonly AskedPack[], { vendorSku }: PackSubject): boolean =>
  vendorSku !== undefined && packs.some((pack) => pack.vendorSku === vendorSku && pack.contains === undefined)

/** Whether the word answers a question of the list. What was answered before may be said again or otherwise. */
function checkWord(
  packs: readonly AskedPack[],
  { vendorSku }: PackSubject,
  contains: number,
  path = '$.text',
): Outcome<undefined> {
  const concerned = packs.filter((pack) => vendorSku === undefined || pack.vendorSku === vendorSku)
  if (concerned.length === 0) return refuse('invalid', 'No pack with this text needs a word', path)
  const agrees = ({ packPriceFen, eachPriceFen }: AskedPack): boolean =>
    contains === 1
      ? eachPriceFen === packPriceFen
      : eachPriceFen === undefined || vendorSku !== undefined || agreesWithEach(packPriceFen, eachPriceFen, contains)
  if (concerned.some(agrees)) return accept(undefined)
  if (contains === 1)
    return refuse('invalid', 'A pack of one item costs what one item costs, and the list does not say so', '$.contains')
  const [suggested, ...others] = new Set(concerned.map((pack) => pack.suggested))
  const says = suggested === undefined || others.length > 0 ? 'contradicts this size' : `says ${suggested}`
  return refuse(
    'confirmation_required',
    `The price of one item in the list ${says}. Name the products in sku_ids if ${contains} is right all the same`,
    '$.contains',
  )
}
