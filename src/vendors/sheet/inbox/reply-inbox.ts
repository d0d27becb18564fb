/**
 * The folder of a supplier's replies. It is looked at when an order is asked about; nothing in it is changed. What was
 * read is stored, so files may be cleaned up afterwards.
 */
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { AdapterNeeds } from '../../adapter-module.ts'
import { MINUTE } from '../../../kernel/clock.ts'
import { count } from '../../../kernel/text.ts'
import { isFields } from '../../../lib/objects.ts'
import type { UnreadableRow } from '../../contract.ts'
import type { ReplyQuestion } from '../../supply-vendor.ts'
import { firstCharacters, sanitizeText } from '../../upstream/sanitize-text.ts'
import { type FoundFile, describeFile, readSettled } from '../price-list/list-file.ts'
import type { OrderReply } from '../documents/order-reply.ts'
import type { Invoice } from '../invoices/invoice.ts'
import type { OrderMemory, OrderRecord, StoredReply } from '../order-record.ts'
import { readReplyAside } from '../../aside/read-aside.ts'
import { type ReplyFileSettings, formatOf, isTable } from './read-reply-file.ts'
import type { OrderWriter } from '../documents/write-order.ts'

interface Needs extends Pick<AdapterNeeds, 'notice'> {
  readonly orders: OrderMemory
  readonly writer: Pick<OrderWriter, 'refOfPayload' | 'isFromSupplier'>
  readonly settings: ReplyFileSettings
}

type ExaminedFile =
  | { readonly problem: string; readonly question?: ReplyQuestion }
  | {
      readonly replies: readonly { readonly ref: string; readonly order: OrderRecord; readonly reply: OrderReply }[]
      readonly invoices: number
    }

/** A thousand times a usual one. */
const REPLY_BYTES_MAX = 2 * 1024 * 1024

/** How far the clock of the supplier's host, or of the file system, may be behind ours. */
const CLOCKS_APART_MS = 10 * MINUTE

/** Programs write under such names until a file is complete. */
const UNFINISHED = /^\.|\.(?:tmp|part|filepart|crdownload)$|~$/i

export function replyInbox(folder: string, { orders, writer, settings, notice }: Needs) {
  /** Files that were read by this process, as they were then. */
  const done = new Map<string, string>()
  /** Those of them whose content was refused. */
  const refused = new Map<string, FoundFile>()
  const reported = new Set<string>()
  /** By path: why a file, or a part of it, is not used. */
  const problems = new Map<string, string>()
  let unusable: readonly UnreadableRow[] = []

  /** Stores the replies of new files; returns how many files cannot be opened. Throws when the folder cannot be read. */
  async function collect(): Promise<number> {
    let unreadable = 0
    const skip = (name: string, error: unknown): undefined => {
      unreadable += 1
      problems.set(join(folder, name), `it cannot be read: ${codeOf(error)}`)
      return report(name, error)
    }
    const names = (await readdir(folder)).filter((name) => !UNFINISHED.test(name))
    const found = await Promise.all(
      names.map((name) => describeFile(join(folder, name)).catch((error: unknown) => skip(name, error))),
    )
    const files = found.filter((file) => file !== undefined)
    for (const file of files.toSorted((a, b) => a.mtimeMs - b.mtimeMs || (a.path < b.path ? -1 : 1))) {
      const stamp = `${file.size} ${file.mtimeMs}`
      if (done.get(file.path) === stamp) continue
      // One file that cannot be read says nothing about the orders of the others.
      const bytes = await readSettled(file, REPLY_BYTES_MAX).catch((error: unknown) => skip(nameOf(file), error))
      if (!bytes) continue
      if (await storeReplies(file, bytes)) refused.delete(file.path)
      else refused.set(file.path, file)
      done.set(file.path, stamp)
    }
    const present = new Set(files.map(({ path }) => path))
    for (const path of done.keys())
      if (!present.has(path)) {
        done.delete(path)
        refused.delete(path)
      }
    const namesThere = new Set(names.map((name) => join(folder, name)))
    for (const path of problems.keys()) if (!namesThere.has(path)) problems.delete(path)
    unusable = toRows(unusable)
    return unreadable
  }

  /** The same list while nothing changed. */
  function toRows(before: readonly UnreadableRow[]): readonly UnreadableRow[] {
    const rows = [...problems].map(([path, detail]): UnreadableRow => {
      const id = firstCharacters(sanitizeText(path.slice(folder.length + 1)), 100)
      return { kind: 'reply', id, problem: firstCharacters(sanitizeText(detail), 200), detail }
    })
    return JSON.stringify(rows) === JSON.stringify(before) ? before : rows
  }

  /**
   * Whether a file whose content was refused may be the reply to this order: by our number, which a CSV reply repeats. Other
   * formats are packed or may name another one, so any that came since may be it.
   */
  async function mayHoldReplyTo({ ref, startedAt }: Pick<OrderRecord, 'ref' | 'startedAt'>): Promise<boolean> {
    for (const file of refused.values()) {
      const bytes = await readSettled(file, REPLY_BYTES_MAX).catch(() => undefined)
      if (!bytes) return true
      if (formatOf(bytes) !== 'csv' && file.mtimeMs >= startedAt - CLOCKS_APART_MS) return true
      if (Buffer.from(bytes).includes(ref) || Buffer.from(bytes).includes(ref, 0, 'utf16le')) return true
    }
    return false
  }

  const nameOf = ({ path }: FoundFile): string => path.slice(folder.length + 1)

  /** Each problem of a file once; it is tried again every time. */
  function report(name: string, error: unknown): undefined {
    const problem = `The reply ${name} cannot be read: ${codeOf(error)}`
    if (!reported.has(problem)) notice?.(problem)
    reported.add(problem)
    return undefined
  }

  /** False when the content is refused. */
  async function storeReplies(file: FoundFile, bytes: Uint8Array): Promise<boolean> {
    const name = nameOf(file)
    problems.delete(file.path)
    const refuse = (problem: string, text: string): void => {
      problems.set(file.path, problem)
      notice?.(text)
    }
    const read = await readReplyAside(bytes, settings)
    if (!read.ok) {
      const problem = read.problem + (read.question ? ` ${onServer(read.question)}` : '')
      refuse(problem, `The reply ${name} cannot be read: ${problem}`)
      return false
    }
    if (read.foreign.length > 0)
      notice?.(
        `The reply ${name} also names ${count(read.foreign.length, 'order number')} that cannot be ours (${sanitizeText(read.foreign[0] ?? '').slice(0, 64)})`,
      )
    const hash = createHash('sha256').update(bytes).digest('hex')
    const refuseUnknown = (theirs: string): void => {
      const unknown = `an order that we never sent (${sanitizeText(theirs).slice(0, 64)})`
      refuse(`it is about ${unknown}`, `The reply ${name} is about ${unknown}`)
    }
    for (const [i, invoice] of read.invoices.entries())
      if (!(await storeInvoice({ id: `${hash}/${i}`, invoice }))) refuseUnknown(invoice.ref)
    for (const [i, reply] of read.replies.entries()) {
      if (reply.parties && !writer.isFromSupplier(reply.parties)) {
        refuse(
          'it is from or for somebody else',
          `The acknowledgement ${name} is from or for somebody else, so it is not used`,
        )
        continue
      }
      const ref = await findRef(reply)
      const stored = ref === undefined ? undefined : await orders.get(ref)
      if (ref === undefined || !stored) {
        refuseUnknown(reply.ref)
        continue
      }
      const received = { id: `${hash}/${i}`, receivedAt: Math.round(file.mtimeMs), reply }
      const isRepeated = isTable(formatOf(bytes)) && (await answersAgain(stored.order, received))
      const id = isRepeated ? `${received.id}/${stored.order.attempt}` : received.id
      await orders.addReplies(ref, [{ ...received, id }])
    }
    return true
  }

  /** What a file that somebody brings would say, without storing it. */
  async function examine(bytes: Uint8Array): Promise<ExaminedFile> {
    if (bytes.length > REPLY_BYTES_MAX) return { problem: 'a reply has at most 2 MB' }
    const read = await readReplyAside(bytes, settings)
    if (!read.ok) return { problem: read.problem, ...(read.question && { question: read.question }) }
    const replies: { ref: string; order: OrderRecord; reply: OrderReply }[] = []
    for (const reply of read.replies) {
      if (reply.parties && !writer.isFromSupplier(reply.parties)) return { problem: 'it is from or for somebody else' }
      const ref = await findRef(reply)
      const stored = ref === undefined ? undefined : await orders.get(ref)
      if (ref === undefined || !stored)
        return { problem: `it is about an order that we never sent (${sanitizeText(reply.ref).slice(0, 64)})` }
      replies.push({ ref, order: stored.order, reply })
    }
    if (replies.length + read.invoices.length === 0) return { problem: 'it says nothing about an order of ours' }
    return { replies, invoices: read.invoices.length }
  }

  /** False: it is about an order that we never sent. */
  async function storeInvoice(stored: { readonly id: string; readonly invoice: Invoice }): Promise<boolean> {
    const ref = (await orders.findByNumber('short', stored.invoice.ref)) ?? stored.invoice.ref
    if (!(await orders.get(ref))) return false
    await orders.addInvoice(ref, stored)
    return true
  }

  /**
   * Whether a file with the content of one that came before this attempt is an answer to it. A table states no number of the
   * reply and no time, so two answers may be the same; the file is then another one, written after the attempt began. Other
   * formats name their document: the same name is the same document.
   */
  async function answersAgain(order: OrderRecord, { id, receivedAt }: StoredReply): Promise<boolean> {
    if (!order.repliesBefore?.includes(id) || receivedAt <= order.startedAt) return false
    const isSameFile = (known: StoredReply) => `${known.id}/`.startsWith(`${id}/`) && known.receivedAt === receivedAt
    return !(await orders.replies(order.ref)).some(isSameFile)
  }

  async function findRef({ ref, refKind }: OrderReply): Promise<string | undefined> {
    if (refKind === 'payload_id') return writer.refOfPayload(ref)
    if (refKind === 'control_number') return orders.findByNumber('control', ref)
    return (await orders.findByNumber('short', ref)) ?? ref
  }

  return { collect, mayHoldReplyTo, examine, unusableFiles: () => unusable }
}

/** Files come here unasked where the connection is set on the server: a person who brings one is asked before. */
function onServer({ choices }: ReplyQuestion): string {
  const valueOf = (answers: unknown): unknown => (isFields(answers) ? valueOf(Object.values(answers)[0]) : answers)
  // All choices: one alone would be copied as if it were the answer.
  const values = choices.map(({ answers }) => valueOf(answers)).join('|')
  const setting = JSON.stringify(choices[0]?.answers, (_, value: unknown) => (isFields(value) ? value : values))
  return `Say which in the settings on the server: ${setting}`
}

/** Without the path, which callers must not see. */
function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? message
}
