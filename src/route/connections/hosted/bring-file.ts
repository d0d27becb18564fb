/** A file that somebody brings: shown as it would be read, then kept and used; or kept until an owner decides. */
import { hash } from 'node:crypto'
import type { ConnectionFile, FilePreview, FileUpload } from '../../../contract/shapes/connections/files.ts'
import { currentCaller } from '../../../kernel/caller.ts'
import { parseRfc3339, rfc3339 } from '../../../kernel/clock.ts'
import { type Namespace, namespaceOf, parseNamespace, vendorSkuOf } from '../../../kernel/ids.ts'
import { type Outcome, RefusedError, accept, catchRefusal, refuse } from '../../../kernel/outcome.ts'
import { type Fields, isFields } from '../../../lib/objects.ts'
import { memberAt } from '../../../lib/members.ts'
import type { Preview } from '../../../vendors/adapter-module.ts'
import { ADAPTERS } from '../../../vendors/adapters.ts'
import type { Connection } from '../../../vendors/connections/connection.ts'
import {
  type HostedModule,
  findHostedModule,
  isHosted,
  secretsOf,
} from '../../../vendors/connections/hosted-connection.ts'
import { adapterNeeds } from '../../../vendors/deployment.ts'
import { previewAside } from '../../../vendors/aside/read-aside.ts'
import { processMemory } from '../../../vendors/process-memory.ts'
import { recordEvent } from '../../../record/events/index.ts'
import { hasSeparationOfDuties } from '../../../rules/people/index.ts'
import type { Queryable } from '../../../store/store.ts'
import { hasPrices, listSellingPrices } from '../../locations/index.ts'
import { hasSales } from '../../sales/index.ts'
import { findLinked } from '../../skus/index.ts'
import { listStatedPacks } from '../pack-records.ts'
import { vendorMemory } from '../memory.ts'
import { fileEvent } from '../texts.ts'
import {
  type StoredFile,
  countFiles,
  countWaiting,
  fileIdOf,
  findFile,
  hasPriceLists,
  listFiles,
  packContent,
  replaceEarlier,
  saveFile,
  setState,
} from './file-records.ts'
import { countChange, findStored } from './records.ts'
import { type HostedDeps, NOT_HERE, changeConnection, findHosted } from './save-connection.ts'

const FILES_MAX = 5_000
/** Of files that were fetched. */
const WAITING_MAX = 50
const ROWS_SHOWN = 100
const LISTED_MAX = 100

/** Of a file that nobody brought: it was fetched. */
export interface FileOrigin {
  /** `mail of sales@depot.example` */
  readonly source: string
  /** False: nothing proves who sent it, so an owner decides about it. */
  readonly isProven: boolean
}

/** What a connection keeps and reads. */
export type KeptUpload = FileUpload & { readonly kind: ConnectionFile['kind'] }

export interface Brought {
  readonly preview?: FilePreview
  readonly file?: ConnectionFile
}

interface Subject {
  readonly namespace: Namespace
  readonly module: HostedModule
  /** Absent: there is none of this name yet; its file can be looked at. */
  readonly settings?: Fields
  readonly connection?: Connection
}

export async function bringFile(
  ctx: HostedDeps,
  namespaceText: string,
  upload: KeptUpload,
  isDryRun: boolean,
  origin?: FileOrigin,
): Promise<Outcome<Brought>> {
  const answers = parseAnswers(upload.answers)
  if (!answers.ok) return answers
  const subject = await findSubject(ctx, namespaceText, upload.kind, isDryRun)
  if (!subject.ok) return subject
  const place = subject.value.module.hosted.files.find(({ kind }) => kind === upload.kind)
  if (!place) return refuse('invalid', `This connection takes no file of the kind ${upload.kind}`, '$.kind')
  const writtenAt = writtenAtOf(ctx, upload.written_at)
  if (writtenAt === undefined) return refuse('invalid', 'written_at must be a time with an offset', '$.written_at')
  // The amounts of a reply are compared with those of its order.
  const looked =
    upload.kind !== 'reply' && (await waitsForCurrency(ctx))
      ? accept(CURRENCY_FIRST)
      : await look(ctx, subject.value, upload, answers.value, writtenAt)
  if (!looked.ok) return looked
  const preview = looked.value
  if (isDryRun) return accept({ preview })
  if (!preview.usable) return refuse('invalid', preview.summary, '$.file')
  // Answers are settings, and settings are the owner's.
  if (answers.value && currentCaller()?.by?.role !== 'owner')
    return refuse('forbidden', 'Only an owner may change how the file is read')
  if (answers.value && preview.settings) {
    const stored = await storeSettings(ctx, subject.value, preview.settings)
    if (!stored.ok) return stored
  }
  return keep(ctx, subject.value, upload, preview, { writtenAt, isNewest: place.holds === 'newest', origin })
}

function parseAnswers(text: string | undefined): Outcome<Fields | undefined> {
  if (text === undefined || text === '') return accept(undefined)
  try {
    const value: unknown = JSON.parse(text)
    if (isFields(value)) return accept(value)
  } catch {
    // Told below.
  }
  return refuse('invalid', 'answers must be a JSON object', '$.answers')
}

/** Not later than now: a clock that is ahead must not hide the next file. */
function writtenAtOf({ clock }: HostedDeps, stated: string | undefined): number | undefined {
  const now = clock.now()
  const at = stated === undefined ? now : parseRfc3339(stated)
  return at === undefined ? undefined : Math.min(Math.max(at, 1000), now)
}

async function findSubject(
  ctx: HostedDeps,
  text: string,
  kind: KeptUpload['kind'],
  isDryRun: boolean,
): Promise<Outcome<Subject>> {
  const namespace = parseNamespace(text)
  if (!namespace) return refuse('not_found', `"${text}" is not a namespace`)
  const { connectionsHome: home } = ctx
  const stored = await findStored(ctx.store.db, namespace)
  const isThere = stored && !stored.isRemoved
  if (!isThere || !home) {
    if (!isDryRun) return home ? mapFound(await findHosted(ctx, namespace)) : NOT_HERE
    // Before it is added, a file can be looked at: the first adapter that takes its kind says what it would be.
    const module = ADAPTERS.filter(isHosted).find(({ hosted }) => hosted.propose?.kind === kind)
    return module
      ? accept({ namespace, module })
      : refuse('not_found', `There is no connection "${namespace}". Add it first`)
  }
  const found = findHostedModule(stored.adapter, namespace)
  if ('problems' in found) return refuse('not_editable', found.problems.join('; '))
  const checked = home.check(stored, (name) => {
    if (!home.secrets) throw new Error('There is no folder for secrets')
    return home.secrets.read(name)
  })
  return accept({
    namespace,
    module: found.module,
    settings: stored.settings,
    ...(checked.ok && { connection: checked.connection }),
  })
}

/** Only a refusal comes here: there is no such connection, or it is set on the server. */
const mapFound = (found: Awaited<ReturnType<typeof findHosted>>): Outcome<Subject> =>
  found.ok ? refuse('not_found', 'There is no such connection') : found

async function look(
  ctx: HostedDeps,
  subject: Subject,
  { file, kind }: KeptUpload,
  answers: Fields | undefined,
  writtenAt: number,
): Promise<Outcome<FilePreview>> {
  const { module, namespace } = subject
  const { propose } = module.hosted
  if (propose?.kind === kind) {
    const own = subject.settings ? memberAt(subject.settings, propose.path) : undefined
    const known = isFields(own) ? own : {}
    const proposal = await propose.from({
      bytes: file.bytes,
      currency: ctx.config.currency,
      today: dayIn(ctx.config.timeZone, ctx.clock.now()),
      sellingPrices: await sellingPricesOf(ctx.store.db, namespace),
      answers: mergeFields(known, answers ?? {}),
    })
    if ('problem' in proposal) return accept({ ...EMPTY_PREVIEW, summary: proposal.problem })
    const { settings, header, examples, summary, isUsable, questions, notes, leftOut, leftOutCount } = proposal
    return accept({
      ...EMPTY_PREVIEW,
      summary,
      usable: isUsable,
      examples,
      settings: { ...known, ...settings },
      header,
      questions,
      notes,
      left_out: [...leftOut],
      left_out_count: leftOutCount,
    })
  }
  if (kind === 'reply') return lookAtReply(ctx, namespace, file.bytes)
  const { connection } = subject
  if (!connection || !module.preview) return refuse('not_editable', 'This connection is not ready')
  const needs = adapterNeeds(connection, {
    clock: ctx.clock,
    log: ctx.log,
    timeoutMs: ctx.config.upstreamTimeoutMs,
    memory: () => processMemory(vendorMemory(ctx.store, namespace)),
    statedPacks: () => listStatedPacks(ctx.store.db, namespace),
    ledgerChanged: () => {},
  })
  const preview = await previewAside(
    { adapter: module.adapter, preview: module.preview.bind(module) },
    { path: file.name, bytes: file.bytes, writtenAt, kind },
    connection.settings,
    needs,
  )
  return accept(previewView(preview))
}

/** By article of this supplier: what the machines ask for the product that is linked to it. */
async function sellingPricesOf(db: Queryable, namespace: Namespace): Promise<ReadonlyMap<string, number>> {
  const asked = await listSellingPrices(db)
  const prices = new Map<string, number>()
  for (const [id, suppliers] of await findLinked(db, [...asked.keys()], 'supply'))
    for (const skuId of suppliers.filter((each) => namespaceOf(each) === namespace))
      prices.set(vendorSkuOf(skuId), Math.max(prices.get(vendorSkuOf(skuId)) ?? 0, asked.get(id) ?? 0))
  return prices
}

export const EMPTY_PREVIEW: FilePreview = {
  summary: '',
  usable: false,
  examples: [],
  header: [],
  questions: [],
  tables: [],
  left_out: [],
  left_out_count: 0,
  notes: [],
  waits_for_owner: false,
}

const CHOOSE_CURRENCY = 'Choose the currency in Settings first, then bring the file again. Amounts are never converted'
/** `13.49` in a list of dollars must not be stored as 13.49 of the default. */
const CURRENCY_FIRST: FilePreview = {
  ...EMPTY_PREVIEW,
  summary: CHOOSE_CURRENCY,
  questions: [{ code: 'currency', text: CHOOSE_CURRENCY, choices: [] }],
}

/** Where amounts are stored in the default, it was chosen by that. */
export const waitsForCurrency = async ({ config, store: { db } }: HostedDeps): Promise<boolean> =>
  !config.isCurrencyChosen && !(await hasPriceLists(db)) && !(await hasSales(db)) && !(await hasPrices(db))

const previewView = ({ summary, isRefused, tables, leftOut, notes = [] }: Preview): FilePreview => ({
  ...EMPTY_PREVIEW,
  summary,
  usable: !isRefused,
  tables: tables.map(({ title, columns, rows, total = rows.length }) => ({
    title,
    columns: [...columns],
    rows: rows.slice(0, ROWS_SHOWN).map((row) => [...row]),
    more: Math.max(0, total - ROWS_SHOWN),
  })),
  left_out: leftOut.slice(0, ROWS_SHOWN).map(({ where, reason }) => ({ where, reason })),
  left_out_count: leftOut.length,
  notes: [...notes],
})

/** Columns are merged one by one, as answers change one thing and keep the rest. */
function mergeFields(known: Fields, more: Fields): Fields {
  const [columns, changed] = [known['columns'], more['columns']]
  return {
    ...known,
    ...more,
    ...(isFields(columns) && isFields(changed) && { columns: { ...columns, ...changed } }),
  }
}

const dayIn = (timeZone: string, now: number): string =>
  Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).toPlainDate().toString()

async function lookAtReply(ctx: HostedDeps, namespace: Namespace, bytes: Uint8Array): Promise<Outcome<FilePreview>> {
  const vendor = ctx.vendors.supply(namespace)
  if (!vendor.ok) return vendor
  const examined = await vendor.value.examineReply?.(bytes)
  if (!examined) return refuse('invalid', 'This connection takes no file of the kind reply', '$.kind')
  if (!examined.ok) return accept({ ...EMPTY_PREVIEW, summary: `The reply is refused: ${examined.message}` })
  const { orders, lowers, question } = examined.value
  if (question) return accept({ ...EMPTY_PREVIEW, summary: question.text, questions: [question] })
  return accept({
    ...EMPTY_PREVIEW,
    usable: true,
    summary: orders.map(({ ref, says }) => (ref === '' ? says : `${ref}: ${says}`)).join('; '),
    waits_for_owner: lowers,
  })
}

async function storeSettings(ctx: HostedDeps, { namespace, module }: Subject, proposed: Fields) {
  const stored = await findHosted(ctx, namespace)
  if (!stored.ok) return stored
  const path = module.hosted.propose?.path ?? ''
  const { settings, isReadOnly, timeZone, idPrefix } = stored.value
  // The secrets stay: they are left out.
  const { [path]: _before, ...others } = withoutSecrets(settings, module)
  return changeConnection(ctx, namespace, {
    settings: { ...others, [path]: proposed },
    read_only: isReadOnly,
    ...(timeZone !== undefined && { time_zone: timeZone }),
    ...(idPrefix !== undefined && { id_prefix: idPrefix }),
  })
}

function withoutSecrets(settings: Fields, module: HostedModule): Fields {
  const copy = structuredClone(settings) as Record<string, unknown>
  for (const path of secretsOf(module)) {
    const names = path.split('.')
    const last = names.pop() ?? ''
    const holder = names.length === 0 ? copy : memberAt(copy, names.join('.'))
    if (isFields(holder)) delete (holder as Record<string, unknown>)[last]
  }
  return copy
}

async function keep(
  ctx: HostedDeps,
  { namespace }: Subject,
  { file, kind }: KeptUpload,
  preview: FilePreview,
  {
    writtenAt,
    isNewest,
    origin,
  }: { readonly writtenAt: number; readonly isNewest: boolean; readonly origin: FileOrigin | undefined },
): Promise<Outcome<Brought>> {
  const fileHash = hash('sha256', file.bytes, 'hex')
  const id = fileIdOf(namespace, kind, fileHash)
  const content = await packContent(file.bytes)
  const kept = await catchRefusal(async () =>
    accept(
      await ctx.store.transaction(async (tx) => {
        await countChange(tx)
        const connection = await findStored(tx, namespace)
        if (!connection || connection.isRemoved)
          throw new RefusedError(refuse('not_found', `There is no connection "${namespace}"`).refusal)
        const known = await findFile(tx, id)
        // What was fetched once does not come back after it was replaced or discarded.
        if (known && (origin || known.state === 'used' || known.state === 'waiting')) return known
        if ((await countFiles(tx, namespace)) >= FILES_MAX)
          throw new RefusedError(refuse('conflict', `There are already ${FILES_MAX} files of this connection`).refusal)
        const mayDecide = !origin && (currentCaller()?.by?.role === 'owner' || !(await hasSeparationOfDuties(tx)))
        const isForOwner = preview.waits_for_owner || origin?.isProven === false
        const state = isForOwner && !mayDecide ? 'waiting' : 'used'
        if (origin && state === 'waiting' && (await countWaiting(tx, namespace)) >= WAITING_MAX)
          throw new RefusedError(
            refuse('conflict', `already ${WAITING_MAX} files of this connection wait for an owner`).refusal,
          )
        const receivedAt = ctx.clock.now()
        const { name, bytes } = file
        const stored = {
          id,
          namespace,
          kind,
          name,
          hash: fileHash,
          size: bytes.length,
          state,
          receivedAt,
          writtenAt,
        } as const
        const summary = [
          preview.summary,
          ...(origin ? [`From the ${origin.source}`] : []),
          ...(origin?.isProven === false ? ['Nothing proves the sender'] : []),
        ].join('. ')
        await saveFile(tx, { ...stored, summary, content })
        if (state === 'used' && isNewest) await replaceEarlier(tx, { ...stored, summary })
        await recordEvent(
          ctx,
          tx,
          fileEvent(state === 'used' ? 'file_used' : 'file_waiting', { namespace, kind, name }, summary),
        )
        return findFile(tx, id)
      }),
    ),
  )
  if (!kept.ok) return kept
  await use(ctx, namespace)
  if (!kept.value) throw new Error(`The file ${id} is gone`)
  return accept({ preview, file: fileView(ctx, kept.value) })
}

/** The copy on this instance is there, and what it says was read. */
export async function use(ctx: HostedDeps, namespace: Namespace): Promise<void> {
  await ctx.connectionsHome?.refresh()
  const supplier = ctx.vendors.supply(namespace)
  if (supplier.ok) await supplier.value.catalog({ live: true })
  const platform = ctx.vendors.machine(namespace)
  if (platform.ok) await platform.value.locations?.()
}

export async function decideFile(
  ctx: HostedDeps,
  namespaceText: string,
  id: string,
  isUsed: boolean,
): Promise<Outcome<ConnectionFile>> {
  const found = await findHosted(ctx, namespaceText)
  if (!found.ok) return found
  const { namespace } = found.value
  const decided = await catchRefusal(async () =>
    accept(
      await ctx.store.transaction(async (tx) => {
        await countChange(tx)
        // Whatever the HTTP layer knew: an owner key may have been created on another instance a moment ago.
        if (currentCaller()?.by?.role !== 'owner' && (await hasSeparationOfDuties(tx)))
          throw new RefusedError(refuse('forbidden', 'Only an owner may decide about this file').refusal)
        const file = await findFile(tx, id)
        if (!file || file.namespace !== namespace)
          throw new RefusedError(refuse('not_found', `There is no file "${id}"`).refusal)
        if (file.state !== 'waiting')
          throw new RefusedError(refuse('already_resolved', 'This file no longer waits').refusal)
        await setState(tx, id, isUsed ? 'used' : 'discarded', ctx.clock.now())
        const place = placesOf(found.value).find(({ kind }) => kind === file.kind)
        if (isUsed && place?.holds === 'newest') await replaceEarlier(tx, file)
        const code = isUsed ? 'file_used' : 'file_discarded'
        await recordEvent(ctx, tx, fileEvent(code, file, file.summary))
        return findFile(tx, id)
      }),
    ),
  )
  if (!decided.ok) return decided
  await use(ctx, namespace)
  if (!decided.value) throw new Error(`The file ${id} is gone`)
  return accept(fileView(ctx, decided.value))
}

function placesOf({ adapter, namespace }: { readonly adapter: string; readonly namespace: Namespace }) {
  const found = findHostedModule(adapter, namespace)
  return 'module' in found ? found.module.hosted.files : []
}

export async function listBrought(ctx: HostedDeps, namespace: string): Promise<Outcome<readonly ConnectionFile[]>> {
  if (!parseNamespace(namespace) || !ctx.vendors.lookup(namespace as Namespace).ok)
    return refuse('not_found', `There is no connection "${namespace}"`)
  return accept((await listFiles(ctx.store.db, namespace, LISTED_MAX)).map((file) => fileView(ctx, file)))
}

const fileView = ({ config }: HostedDeps, file: StoredFile): ConnectionFile => ({
  id: file.id,
  namespace: file.namespace,
  kind: file.kind as ConnectionFile['kind'],
  name: file.name,
  size: file.size,
  state: file.state,
  summary: file.summary,
  received_at: rfc3339(file.receivedAt, config.timeZone),
  ...(file.by && { received_by: file.by.name }),
})
