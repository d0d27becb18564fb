/** The settings of machines whose platform exports spreadsheets, as an operator writes them in VENDORS_FILE. */
import { type Static, Type } from 'typebox'
import { integer, oneOf, text } from '../../lib/validator.ts'
import type { LedgerLineStatus } from '../machine-vendor.ts'
import { filledText, optionalText, settingsCheck, strict } from '../settings-check.ts'
import { ENCODINGS } from '../sheet/documents/csv/csv-text.ts'

const optional = Type.Optional

const STATUSES = ['paid', 'unpaid', 'refunded', 'refund_failed', 'cancelled'] as const satisfies LedgerLineStatus[]

/** How an export is written. */
const FORMAT = {
  encoding: optional(oneOf(ENCODINGS)),
  delimiter: optional(text('one character, such as , or ;', (value) => /^[^\r\n"]$/.test(value))),
  decimal: optional(oneOf(['.', ','])),
  /** Rows above the header. */
  skip_rows: optional(integer(0, 1_000)),
}

const Sales = Type.Object(
  {
    /** Or a glob: all files count, because exports cover one window after the other. */
    file: filledText(),
    ...FORMAT,
    date_order: optional(oneOf(['mdy', 'dmy'])),
    statuses: optional(Type.Record(Type.String(), oneOf(STATUSES), { expected: 'an object of words and statuses' })),
    columns: Type.Object(
      {
        machine: filledText(),
        time: filledText(),
        code: filledText(),
        price: filledText(),
        qty: optionalText(),
        transaction: optionalText(),
        status: optionalText(),
      },
      strict,
    ),
  },
  strict,
)

const Planogram = Type.Object(
  {
    /** Or a glob: the newest file counts. */
    file: filledText(),
    ...FORMAT,
    /** A new file that lost more than this part of its slots, in percent, is refused. */
    max_loss: optional(integer(0, 100)),
    columns: Type.Object(
      {
        machine: filledText(),
        code: filledText(),
        title: filledText(),
        price: filledText(),
        stock: optionalText(),
        capacity: optionalText(),
        barcode: optionalText(),
        lane: optionalText(),
      },
      strict,
    ),
  },
  strict,
)

const Settings = Type.Object({ sales: Sales, planogram: Planogram }, strict)
export type SheetMachineSettings = Static<typeof Settings>
export type SalesSettings = Static<typeof Sales>
export type PlanogramSettings = Static<typeof Planogram>
export type FormatSettings = Pick<SalesSettings, keyof typeof FORMAT>

export const checkSettings = settingsCheck(Settings)
