/**
 * Goods are linked when they are seen: a supplier's catalog or a machine's slots, by whichever read comes first. All the
 * finding happens outside a transaction; only what is new is written. Nothing new, nothing written.
 */
import { setImmediate } from 'node:timers/promises'
import { SECOND } from '../../kernel/clock.ts'
import { namespaceOf, skuIdOf } from '../../kernel/ids.ts'
import type { Namespace, SkuId } from '../../kernel/ids.ts'
import { afterCommit } from '../../store/store.ts'
import type { Store, Tx } from '../../store/store.ts'
import type { MachineSlot, SupplyCatalog } from '../../vendors/contract.ts'
import type { Context } from '../context.ts'
import { aliasesChanged } from './alias-cache.ts'
import type { Pair, StoredAlias } from './aliases.ts'
import { parseGtin } from './gtin.ts'
import type { Gtin } from './gtin.ts'
import { codeIndex, codeLinks, linksOf, standing } from './link.ts'
import {
  addLinks,
  allMachineProducts,
  pairsIn,
  pairsOf,
  saveMachineProducts,
  removeBarcodeLinks,
  findMachineProducts,
  machineProductsWithCodes,
} from './records.ts'
import type { MachineProduct } from './records.ts'
import { SupplierIndexes } from './supplier-indexes.ts'
import type { SupplierIndex } from './supplier-indexes.ts'

type Needs = Pick<Context, 'store' | 'clock' | 'vendors' | 'log'>

/** Machine goods linked anew when a supplier's catalog changed; far above any route's assortment. */
const GOODS_MAX = 20_000
/** Goods compared before others get a turn of the event loop. */
const BITE = 10
/** A supplier that did not answer is not asked again for links alone until then. */
const ASKED_AGAIN_MS = 30 * SECOND

/** What one process remembers of its own linking; losing it costs time, never a link. */
class Sight {
  readonly sides = new SupplierIndexes()
  /** Machine goods by id, with the words and catalogs they were last compared in. */
  readonly compared = new Map<SkuId, string>()
  /** The edition of each supplier's catalog that all goods were compared with. */
  readonly linked = new Map<Namespace, number>()
  readonly silentUntil = new Map<Namespace, number>()
  /** Per object, because adapters hand out the same one while it is fresh. */
  readonly seen = new WeakMap<object, Promise<void>>()
}

const sights = new WeakMap<Store, Sight>()

function sightOf(store: Store): Sight {
  const known = sights.get(store) ?? new Sight()
  sights.set(store, known)
  return known
}

/** What was found and is not yet written. */
export interface FoundLinks {
  readonly goods: readonly MachineProduct[]
  readonly add: readonly StoredAlias[]
  readonly outdated: readonly Pair[]
  readonly written: () => void
}

const comparedAs = (good: MachineProduct, sides: readonly SupplierIndex[]): string =>
  `${good.title}\n${good.barcode ?? ''}\n${sides.map(({ edition }) => edition).join()}`

function seenFrom(namespace: Namespace, slots: readonly MachineSlot[]): MachineProduct[] {
  const goods = new Map<SkuId, MachineProduct>()
  for (const { vendorSku, title, barcode } of slots) {
    const skuId = skuIdOf(namespace, vendorSku)
    if (skuId) goods.set(skuId, { skuId, title, barcode, gtin: parseGtin(barcode) })
  }
  return [...goods.values()]
}

/** Goods that this process has not yet compared, as they are now, with every supplier as it is now. */
function strangers({ sides, compared }: Sight, goods: readonly MachineProduct[]): MachineProduct[] {
  const all = sides.all()
  return goods.filter((good) => compared.get(good.skuId) !== comparedAs(good, all))
}

/** Compares machine goods with every supplier known here, and reads what stands so that nothing is found twice. */
async function find({ store, clock }: Needs, goods: readonly MachineProduct[]): Promise<FoundLinks> {
  const sight = sightOf(store)
  const sides = sight.sides.all()
  const fresh = strangers(sight, goods)
  if (fresh.length === 0) return { goods: [], add: [], outdated: [], written: () => {} }

  const ids = fresh.map(({ skuId }) => skuId)
  const codes = [...new Set(fresh.flatMap(({ gtin }) => gtin ?? []))]
  const [stored, rows, peers] = await Promise.all([
    findMachineProducts(store.db, ids),
    pairsOf(store.db, ids),
    machineProductsWithCodes(store.db, codes),
  ])
  const rowsOf = grouped(rows)
  const now = clock.now()
  const add = codeLinks(codeIndex(fresh), codeIndex(peers), standing(rows), now)
  const outdated: Pair[] = []
  for (const [i, good] of fresh.entries()) {
    for (const side of sides) {
      const links = linksOf(good, side, rowsOf.get(good.skuId) ?? [], now)
      add.push(...links.add)
      outdated.push(...links.outdated)
    }
    if (i % BITE === BITE - 1) await setImmediate()
  }
  return {
    goods: fresh.filter((good) => !sameWords(stored.get(good.skuId), good)),
    add,
    outdated,
    written: () => {
      if (sight.compared.size > GOODS_MAX) sight.compared.clear()
      for (const good of fresh) sight.compared.set(good.skuId, comparedAs(good, sides))
    },
  }
}

const sameWords = (stored: MachineProduct | undefined, good: MachineProduct): boolean =>
  stored !== undefined && stored.title === good.title && stored.barcode === good.barcode

function grouped(rows: readonly StoredAlias[]): Map<SkuId, StoredAlias[]> {
  const groups = new Map<SkuId, StoredAlias[]>()
  for (const row of rows)
    for (const end of [row.a, row.b]) {
      const known = groups.get(end)
      if (known) known.push(row)
      else groups.set(end, [row])
    }
  return groups
}

/**
 * For a sync: finds the links of a machine's slots before its transaction; `writeLinks` then writes them inside it.
 * A supplier that does not answer is left out, and its links are made when its catalog is seen next.
 */
export async function findLinks(ctx: Needs, namespace: Namespace, slots: readonly MachineSlot[]): Promise<FoundLinks> {
  await refreshSuppliers(ctx)
  return find(ctx, seenFrom(namespace, slots))
}

export async function writeLinks(
  { store, clock }: Pick<Context, 'store' | 'clock'>,
  tx: Tx,
  found: FoundLinks,
): Promise<void> {
  const now = clock.now()
  if (found.goods.length > 0) await saveMachineProducts(tx, found.goods, now)
  if (found.outdated.length > 0) await removeBarcodeLinks(tx, found.outdated)
  if (found.add.length > 0) await addLinks(tx, found.add, now)
  if (found.add.length > 0 || found.outdated.length > 0) await aliasesChanged(store, tx)
  afterCommit(tx, found.written)
}

async function settle(ctx: Needs, found: FoundLinks): Promise<void> {
  if (found.goods.length + found.add.length + found.outdated.length === 0) found.written()
  else await ctx.store.transaction((tx) => writeLinks(ctx, tx, found))
}

/** Once per object; a sight that failed is tried again with the next look. */
function once(ctx: Needs, object: object, look: () => Promise<void>): Promise<void> {
  const { seen } = sightOf(ctx.store)
  const known = seen.get(object)
  if (known) return known
  const looking = look()
  seen.set(object, looking)
  looking.catch(() => seen.delete(object))
  return looking
}

/**
 * On a read of a machine: afterwards its goods are known and linked. Suppliers are asked only for goods not met before,
 * and those that were never heard: a machine read every few seconds must not draw a catalog each time.
 */
export const linkMachineProducts = (ctx: Needs, namespace: Namespace, slots: readonly MachineSlot[]): Promise<void> =>
  once(ctx, slots, async () => {
    const goods = seenFrom(namespace, slots)
    const sight = sightOf(ctx.store)
    const heard = new Set(sight.sides.all().map((side) => side.namespace))
    const met = strangers(sight, goods).length === 0
    await refreshSuppliers(ctx, (supplier) => !met || !heard.has(supplier))
    await settle(ctx, await find(ctx, goods))
  })

/** On a read of a supplier: afterwards all goods ever seen in machines are linked with its catalog. */
export const linkCatalog = (ctx: Needs, namespace: Namespace, catalog: SupplyCatalog): Promise<void> =>
  once(ctx, catalog, async () => {
    const { sides, linked } = sightOf(ctx.store)
    const side = await sides.see(namespace, catalog.products)
    if (linked.get(namespace) === side.edition) return
    await settle(ctx, await find(ctx, await allMachineProducts(ctx.store.db, GOODS_MAX)))
    await settle(ctx, await betweenSuppliers(ctx, side))
    linked.set(namespace, side.edition)
  })

/** Two suppliers of one good: equal codes link them too; names are compared only where an order hangs on it. */
async function betweenSuppliers({ store, clock }: Needs, side: SupplierIndex): Promise<FoundLinks> {
  const others = sightOf(store)
    .sides.all()
    .filter(({ namespace }) => namespace !== side.namespace)
  if (others.length === 0) return { goods: [], add: [], outdated: [], written: () => {} }
  const rows = await pairsIn(store.db, side.namespace)
  const known = standing(rows)
  const add = others.flatMap((other) => codeLinks(side.codes, other.codes, known, clock.now()))
  const codeOf = (id: SkuId): Gtin | undefined =>
    [side, ...others].find(({ namespace }) => namespace === namespaceOf(id))?.gtinOf(id)
  const outdated = rows.filter(({ a, b, source }) => {
    const [one, other] = [codeOf(a), codeOf(b)]
    return source === 'barcode' && one !== undefined && other !== undefined && one !== other
  })
  return { goods: [], add, outdated, written: () => {} }
}

/** Every supplier's catalog, for the answer about a machine names what can be bought. */
async function refreshSuppliers(ctx: Needs, wanted: (supplier: Namespace) => boolean = () => true): Promise<void> {
  const { silentUntil } = sightOf(ctx.store)
  const asked = ctx.vendors.registrations.filter(
    ({ namespace, role, status }) =>
      role === 'supply' &&
      status === 'live' &&
      (silentUntil.get(namespace) ?? 0) <= ctx.clock.now() &&
      wanted(namespace),
  )
  await Promise.all(
    asked.map(async ({ namespace }) => {
      const vendor = ctx.vendors.supply(namespace)
      if (!vendor.ok) return
      const answer = await vendor.value.catalog()
      if (answer.ok) return linkCatalog(ctx, namespace, answer.value)
      silentUntil.set(namespace, ctx.clock.now() + ASKED_AGAIN_MS)
      ctx.log.warn({ namespace, reason: answer.reason }, 'goods are not linked with this supplier for now')
    }),
  )
}
