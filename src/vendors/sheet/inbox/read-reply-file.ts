/** What a supplier's file says about orders and invoices, whatever its format. Pure. */
import { type Encoding, decodeText } from '../documents/csv/csv-text.ts'
import type { ReplyAnswers } from '../documents/csv/reply-columns.ts'
import { readTableReplies } from '../documents/csv/reply-table.ts'
import { readCxmlReplies } from '../documents/cxml/reply-cxml.ts'
import type { OrderReply, ReadReplies, ReplySettings, UnreadReply } from '../documents/order-reply.ts'
import { readUblReplies } from '../documents/ubl/reply-ubl.ts'
import { readX12Replies } from '../documents/x12/reply-x12.ts'
import { readUblInvoices } from '../invoices/invoice-ubl.ts'
import { readX12Invoices } from '../invoices/invoice-x12.ts'
import type { Invoice, ReadInvoices } from '../invoices/invoice.ts'
import { guessEncoding } from '../price-list/guess-encoding.ts'
import { isWorkbook, oldWorkbookProblem } from '../workbook/workbook.ts'

export type ReplyFileSettings = ReplySettings & ReplyAnswers & { readonly encoding: Encoding | undefined }

export type ReadFile =
  | UnreadReply
  | {
      readonly ok: true
      readonly replies: readonly OrderReply[]
      readonly invoices: readonly Invoice[]
      /** Order numbers that cannot be ours. */
      readonly foreign: readonly string[]
    }

/** Of all documents in a file: many times what anybody orders at once. */
const LINES_MAX = 10_000
const FOREIGN_MAX = 1000

export function readReplyFile(bytes: Uint8Array, settings: ReplyFileSettings): ReadFile {
  const format = formatOf(bytes)
  const invoices = readAnyInvoices(bytes, format, settings)
  if (!invoices.ok) return { ok: false, problem: invoices.problem }
  const read = readAnyReplies(bytes, format, settings, invoices.invoices.length > 0)
  if (!read.ok) return read
  const lines = [...read.replies, ...invoices.invoices].reduce((sum, each) => sum + each.lines.length + 1, 0)
  if (lines > LINES_MAX) return { ok: false, problem: `it has more than ${LINES_MAX} lines` }
  return { ok: true, replies: read.replies, invoices: invoices.invoices, foreign: read.foreign.slice(0, FOREIGN_MAX) }
}

type ReplyFormat = 'cxml' | 'ubl' | 'x12' | 'csv' | 'workbook'

export const isTable = (format: ReplyFormat): boolean => format === 'csv' || format === 'workbook'

const startOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.subarray(0, 2_048))
    .toString('latin1')
    .replace(/^\u00EF\u00BB\u00BF/, '')
    .trimStart()

/** By content: suppliers answer an e-mail with whatever their system writes. */
export function formatOf(bytes: Uint8Array): ReplyFormat {
  if (isWorkbook(bytes) || oldWorkbookProblem(bytes) !== undefined) return 'workbook'
  const start = startOf(bytes)
  if (start.startsWith('<')) return /<cXML[\s>]/.test(start) ? 'cxml' : 'ubl'
  return start.startsWith('ISA') ? 'x12' : 'csv'
}

function readAnyInvoices(bytes: Uint8Array, format: ReplyFormat, settings: ReplySettings): ReadInvoices {
  if (format === 'x12') return readX12Invoices(bytes, settings)
  return format === 'ubl' ? readUblInvoices(bytes, settings) : { ok: true, invoices: [] }
}

function readAnyReplies(
  bytes: Uint8Array,
  format: ReplyFormat,
  settings: ReplyFileSettings,
  hasInvoices: boolean,
): ReadReplies {
  if (format === 'cxml') return readCxmlReplies(bytes, settings)
  if (format === 'ubl') return hasInvoices ? { ok: true, replies: [], foreign: [] } : readUblReplies(bytes, settings)
  if (format === 'x12') return readX12Replies(bytes, settings, { isEmptyAllowed: hasInvoices })
  const problem = oldWorkbookProblem(bytes)
  if (problem !== undefined) return { ok: false, problem }
  const isUtf8 = format === 'workbook' || decodeText(bytes, 'utf-8') !== undefined
  const encoding = isUtf8 ? 'utf-8' : (settings.encoding ?? guessEncoding(bytes) ?? 'utf-8')
  return readTableReplies(bytes, { ...settings, encoding })
}
