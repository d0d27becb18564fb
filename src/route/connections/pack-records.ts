/** What people said about packs, in the store. A word that was taken back stays as a row without a number. */
import { hash } from 'node:crypto'
import type { Namespace } from '../../kernel/ids.ts'
import { byColumns, fromByColumns } from '../../store/caller-columns.ts'
import { type Queryable, type Tx, readAll } from '../../store/store.ts'
import type { Columns } from '../../store/schema.ts'
import { type StatedPack, comparePacks } from '../../vendors/packs.ts'
import { type ChainedRows, type Facts, chainChange } from '../../record/hash-chain/index.ts'
import type { WriteContext } from '../../context.ts'

type PackRow = Columns<'stated_pack'>

/** What a word is about. */
export type PackSubject = Pick<StatedPack, 'text' | 'vendorSku'>

const idOf = (namespace: Namespace, { text, vendorSku = '' }: PackSubject): string =>
  `pack-${hash('sha256', JSON.stringify([namespace, text, vendorSku]), 'hex').slice(0, 32)}`

const factsOf = ({ id: _id, ...facts }: PackRow): Facts => ({ ...facts })

const fromRow = (row: PackRow) => ({
  text: row.pack_text,
  ...(row.vendor_sku !== '' && { vendorSku: row.vendor_sku }),
  contains: row.contains ?? 0,
  statedAt: row.stated_at,
  by: fromByColumns(row),
})
export type StoredPack = Readonly<ReturnType<typeof fromRow>>

/** The words that count, by text and article; everywhere in the same order. */
export async function listStoredPacks(db: Queryable, namespace: Namespace): Promise<readonly StoredPack[]> {
  const rows = db
    .selectFrom('stated_pack')
    .selectAll()
    .where('namespace', '=', namespace)
    .where('contains', 'is not', null)
  // The databases compare texts differently.
  return (await readAll(rows, fromRow)).toSorted(comparePacks)
}

export const listStatedPacks = async (db: Queryable, namespace: Namespace): Promise<readonly StatedPack[]> =>
  (await listStoredPacks(db, namespace)).map(({ text, vendorSku, contains, statedAt }) => ({
    text,
    ...(vendorSku !== undefined && { vendorSku }),
    contains,
    statedAt,
  }))

/** False: this was said before, and nothing asked for it again. Null takes the word back. */
export async function saveStatedPack(
  ctx: WriteContext,
  tx: Tx,
  namespace: Namespace,
  subject: PackSubject,
  contains: number | null,
  isAskedAgain = false,
): Promise<boolean> {
  const id = idOf(namespace, subject)
  const before = await findRow(tx, id)
  if ((before?.contains ?? null) === contains && !(isAskedAgain && contains !== null)) return false
  const word = { contains, stated_at: ctx.clock.now(), ...byColumns() }
  await tx
    .insertInto('stated_pack')
    .values({ id, namespace, pack_text: subject.text, vendor_sku: subject.vendorSku ?? '', ...word })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(word))
    .execute()
  chainChange(ctx, tx, {
    kind: 'pack',
    subject: id,
    readFacts: async (end) => {
      const row = await findRow(end, id)
      return row && factsOf(row)
    },
  })
  return true
}

const findRow = (db: Queryable, id: string): Promise<PackRow | undefined> =>
  db.selectFrom('stated_pack').selectAll().where('id', '=', id).executeTakeFirst()

/** For the verification of the hash chain. */
export const chainedPacks: ChainedRows = (db, after, limit) =>
  readAll(
    db
      .selectFrom('stated_pack')
      .selectAll()
      .where('id', '>', after ?? '')
      .orderBy('id')
      .limit(limit),
    (row) => ({ subject: row.id, facts: factsOf(row) }),
  )
