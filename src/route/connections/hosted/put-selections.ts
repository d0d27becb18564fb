/**
 * What is in the selections of a machine, as a person states it. It is the planogram that people may also upload: the rows of
 * this machine are changed in it, all others stay.
 */
import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Selection, SelectionsRequest } from '../../../contract/shapes/connections/selections.ts'
import { digitsOf } from '../../../kernel/currency.ts'
import { type Outcome, accept, refuse } from '../../../kernel/outcome.ts'
import { ConflictError, retryOnConflict } from '../../../lib/concurrency.ts'
import { omitUndefined } from '../../../lib/objects.ts'
import type { Tx } from '../../../store/store.ts'
import type { PlannedRow } from '../../../vendors/adapter-module.ts'
import { findHostedModule } from '../../../vendors/connections/hosted-connection.ts'
import { recordEvent } from '../../../record/events/index.ts'
import { fileEvent } from '../texts.ts'
import { use } from './bring-file.ts'
import { fileIdOf, findUsedFile, findUsedFileId, replaceEarlier, saveFile } from './file-records.ts'
import { countChange } from './records.ts'
import { type HostedDeps, findHosted } from './save-connection.ts'

const KIND = 'planogram'

export async function putSelections(
  ctx: HostedDeps,
  { namespace: text, id }: { readonly namespace: string; readonly id: string },
  { selections }: SelectionsRequest,
): Promise<Outcome<readonly Selection[]>> {
  const stored = await findHosted(ctx, text)
  if (!stored.ok) return stored
  const { namespace, adapter, settings, idPrefix = '' } = stored.value
  const found = findHostedModule(adapter, namespace)
  const planogram = 'module' in found ? found.module.hosted.planogram : undefined
  if (!planogram) return refuse('not_editable', `${namespace} says itself what is in its machines`)
  const twice = selections.findIndex(({ selection: code }, i) =>
    selections.slice(0, i).some((one) => one.selection.trim() === code.trim()),
  )
  if (twice >= 0) return refuse('invalid', 'A selection is listed twice', `$.selections[${twice}].selection`)
  if (!id.startsWith(idPrefix)) return refuse('not_found', `There is no machine "${id}" in ${namespace}`)
  const location = id.slice(idPrefix.length)
  const digits = digitsOf(ctx.config.currency)
  const saved = await retryOnConflict(async () => {
    // Read and written outside of the transaction: a long planogram takes its time.
    const known = await findUsedFile(ctx.store.db, namespace, KIND)
    const read = planogram.read(known?.content, settings, digits)
    // Rewriting it would lose them.
    if ('problem' in read || read.problems > 0)
      return refuse('conflict', 'The planogram has rows that cannot be read. Upload a corrected one first')
    const changed = new Map(selections.map((one) => [one.selection.trim(), one]))
    const before = new Map(read.rows.filter((row) => row.location === location).map((row) => [row.selection, row]))
    const rows = [
      ...read.rows.filter((row) => row.location !== location || !changed.has(row.selection)),
      ...[...changed].flatMap(([code, given]) => toRow(location, code, given, before.get(code))),
    ]
    const bytes = planogram.write(rows, settings, digits)
    const content = gzipSync(bytes).toString('base64')
    await ctx.store.transaction(async (tx) => {
      await countChange(tx)
      // Somebody else changed it meanwhile: then it is read again.
      if ((await findUsedFileId(tx, namespace, KIND)) !== known?.id) throw new ConflictError()
      await keepPlanogram(ctx, tx, namespace, { bytes, content, rows: rows.length })
    })
    return accept(rows.filter((row) => row.location === location))
  })
  if (!saved.ok) return saved
  await use(ctx, namespace)
  return accept(saved.value.map(viewOf))
}

const viewOf = ({ selection, sku, title, barcode, capacity, price }: PlannedRow): Selection =>
  omitUndefined({ selection, sku, title, barcode, capacity, price })

function toRow(
  location: string,
  selection: string,
  { product, capacity, price }: SelectionsRequest['selections'][number],
  before: PlannedRow | undefined,
): readonly PlannedRow[] {
  if (product === null) return []
  const { sku, title, barcode } = product
  return [
    omitUndefined({
      location,
      selection,
      sku,
      title: title.trim(),
      // The same product keeps what was known of it.
      barcode: barcode ?? (before?.sku === sku ? before.barcode : undefined),
      capacity: (capacity === undefined ? before?.capacity : capacity) ?? undefined,
      price: (price === undefined ? before?.price : price) ?? undefined,
    }),
  ]
}

async function keepPlanogram(
  ctx: HostedDeps,
  tx: Tx,
  namespace: Parameters<typeof fileEvent>[1]['namespace'],
  { bytes, content, rows }: { readonly bytes: Uint8Array; readonly content: string; readonly rows: number },
): Promise<void> {
  const fileHash = hash('sha256', bytes, 'hex')
  const now = ctx.clock.now()
  const file = {
    id: fileIdOf(namespace, KIND, fileHash),
    namespace,
    kind: KIND,
    name: 'planogram.csv',
    hash: fileHash,
    size: bytes.length,
    state: 'used',
    summary: `${rows} selections`,
    receivedAt: now,
    writtenAt: now,
  } as const
  await saveFile(tx, { ...file, content })
  await replaceEarlier(tx, file)
  await recordEvent(ctx, tx, fileEvent('file_used', file, file.summary))
}
