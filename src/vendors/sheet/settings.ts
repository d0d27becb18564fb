/** The settings of a `price-list` supplier as an operator writes them in VENDORS_FILE, checked as a whole. */
import { type Static, Type } from 'typebox'
import { digitsOf, isCurrency } from '../../kernel/currency.ts'
import { integer, oneOf, text } from '../../lib/validator.ts'
import type { CheckedSettings, ConnectionBasics } from '../adapter-module.ts'
import { type Partly, flag, settingsCheck, strict } from '../settings-check.ts'
import { httpUrl } from '../upstream/http-url.ts'
import { minorOfNumber } from '../../kernel/minor-units.ts'
import { REPLY_COLUMNS, REPLY_STATUSES } from './documents/csv/reply-columns.ts'
import { ENCODINGS } from './documents/csv/csv-text.ts'
import { parseCutoff } from './cutoff.ts'
import { RATE_DIGITS, UBL_DIGITS_MAX } from './documents/order-document.ts'
import { COLUMNS } from './price-list/price-list.ts'

const isSingleLine = (value: string): boolean => value.trim() !== '' && !/\p{Cc}/u.test(value)
const singleLine = () => text('text', isSingleLine)
const optionalSingleLine = () => Type.Optional(singleLine())

/** Only the shape: whether the mailbox exists is for the mail server to say. */
const isMailAddress = (value: string): boolean => /^[^\s@<>,;"\p{Cc}]+@[^\s@<>,;"\p{Cc}]+$/u.test(value)
const mailAddress = () => text('an e-mail address', isMailAddress)
/** The same words at each level, so that one mistake is one problem. */
const ADDRESSES = 'an e-mail address or a list of them'
const mailAddresses = () =>
  Type.Union([text(ADDRESSES, isMailAddress), Type.Array(mailAddress(), { minItems: 1, expected: ADDRESSES })], {
    expected: ADDRESSES,
  })

const hasProtocol = (value: string, ...protocols: readonly string[]): boolean =>
  URL.canParse(value) && protocols.includes(new URL(value).protocol)

const Address = Type.Object(
  {
    street_address: optionalSingleLine(),
    extended_address: optionalSingleLine(),
    address_locality: optionalSingleLine(),
    address_region: optionalSingleLine(),
    address_country: optionalSingleLine(),
    postal_code: optionalSingleLine(),
    first_name: optionalSingleLine(),
    last_name: optionalSingleLine(),
    phone_number: optionalSingleLine(),
  },
  strict,
)

export const CatalogSettings = Type.Object(
  {
    /** Or a glob: the newest file counts. */
    file: singleLine(),
    /** A table is CSV or a workbook, as the file itself tells; `csv` means the same. */
    format: Type.Optional(oneOf(['table', 'csv', 'ubl-catalogue', 'x12-catalogue'])),
    /** Of a workbook; absent: the first one that is visible. */
    sheet: optionalSingleLine(),
    encoding: Type.Optional(oneOf(ENCODINGS)),
    delimiter: Type.Optional(text('one character, such as , or ;', (value) => /^[^\r\n"]$/.test(value))),
    decimal: Type.Optional(oneOf(['.', ','])),
    skip_rows: Type.Optional(integer(0, 1_000)),
    columns: Type.Optional(
      Type.Object(Object.fromEntries(COLUMNS.map((column) => [column, optionalSingleLine()])), {
        ...strict,
        expected: `an object with some of ${COLUMNS.join(', ')}`,
      }),
    ),
    prices: Type.Optional(oneOf(['net', 'gross'])),
    /** In percent. */
    tax_rate: Type.Optional(Type.Number({ minimum: 0, maximum: 100, expected: 'a percentage from 0 to 100' })),
    /** A new list that lost more than this part of its products, in percent, is refused. */
    max_loss: Type.Optional(integer(0, 100)),
  },
  strict,
)

/** Qualifier (`ZZ`, `01` DUNS, `12` telephone) and identifier of an interchange. */
const X12Identity = Type.Object(
  {
    qualifier: text('two letters or digits', (value) => /^[A-Z0-9]{2}$/.test(value)),
    id: text('2 to 15 letters, digits, dots and hyphens', (value) => /^[A-Za-z0-9 ._-]{2,15}$/.test(value)),
  },
  strict,
)
/** For example domain `NetworkId` or `DUNS`. */
const CxmlIdentity = Type.Object({ domain: singleLine(), identity: singleLine() }, strict)
/** An electronic address: its identifier, and the list that it is from. `0088` is GLN. */
const UblEndpoint = Type.Object({ id: singleLine(), scheme: singleLine() }, strict)

const OrderSettings = Type.Object(
  {
    via: oneOf(['hand', 'folder', 'email', 'http']),
    format: oneOf(['csv', 'ubl', 'x12', 'cxml']),
    out: optionalSingleLine(),
    to: Type.Optional(mailAddresses()),
    cc: Type.Optional(mailAddresses()),
    from: Type.Optional(mailAddress()),
    smtp: Type.Optional(
      text('an smtp or smtps URL', (value) => hasProtocol(value, 'smtp:', 'smtps:') && new URL(value).hostname !== ''),
    ),
    url: Type.Optional(httpUrl()),
    cutoff: Type.Optional(text('a day and a time such as "Tue 12:00"', (value) => parseCutoff(value) !== undefined)),
    lead_days: Type.Optional(integer(0, 365)),
    buyer: Type.Object(
      {
        name: singleLine(),
        account: optionalSingleLine(),
        vat_id: optionalSingleLine(),
        gln: optionalSingleLine(),
        address: Type.Optional(Address),
      },
      strict,
    ),
    inbox: optionalSingleLine(),
    /** Headers of tables in the inbox, where they are not recognized. */
    reply_columns: Type.Optional(
      Type.Object(Object.fromEntries(REPLY_COLUMNS.map((column) => [column, optionalSingleLine()])), {
        ...strict,
        expected: `an object with some of ${REPLY_COLUMNS.join(', ')}`,
      }),
    ),
    /** The supplier's words for a status. */
    reply_words: Type.Optional(Type.Record(Type.String(), oneOf(REPLY_STATUSES))),
    /** The supplier's name in documents; otherwise that of the connection. */
    seller: optionalSingleLine(),
    /** Marks documents as a test where the format can say so. */
    test: flag(),
    x12: Type.Optional(
      Type.Object({ sender: Type.Optional(X12Identity), receiver: Type.Optional(X12Identity) }, strict),
    ),
    cxml: Type.Optional(
      Type.Object(
        {
          from: Type.Optional(CxmlIdentity),
          to: Type.Optional(CxmlIdentity),
          shared_secret: optionalSingleLine(),
          host: optionalSingleLine(),
        },
        strict,
      ),
    ),
    ubl: Type.Optional(
      Type.Object(
        {
          seller_endpoint: Type.Optional(UblEndpoint),
          buyer_endpoint: Type.Optional(UblEndpoint),
          profile: Type.Optional(oneOf(['ordering', 'order_only'])),
        },
        strict,
      ),
    ),
  },
  strict,
)

const Settings = Type.Object(
  {
    catalog: CatalogSettings,
    /** Absent: prices only, nothing can be ordered. */
    order: Type.Optional(OrderSettings),
    sites: Type.Optional(
      Type.Array(Type.Object({ id: singleLine(), name: optionalSingleLine(), address: optionalSingleLine() }, strict)),
    ),
  },
  strict,
)

export type SheetSettings = Static<typeof Settings>
export type X12Identity = Static<typeof X12Identity>
export type CxmlIdentity = Static<typeof CxmlIdentity>
export type UblEndpoint = Static<typeof UblEndpoint>
export type CatalogSettings = Static<typeof CatalogSettings>
export type OrderSettings = NonNullable<SheetSettings['order']>

/** Members that hold secrets. */
export const SECRETS = ['order.smtp', 'order.cxml.shared_secret'] as const

export const checkSettings = (
  settings: unknown,
  { currency }: Pick<ConnectionBasics, 'currency'>,
): CheckedSettings<SheetSettings> => settingsCheck(Settings, (given) => problemsOf(given, currency))(settings)

function problemsOf({ catalog, order, sites = [] }: Partly<SheetSettings>, currency: string): readonly string[] {
  const problems = [...(catalog ? catalogProblems(catalog) : []), ...(order ? orderProblems(order) : [])]
  const digits = isCurrency(currency) ? digitsOf(currency) : undefined
  if (digits === undefined) problems.push('currency must be a code of ISO 4217')
  if (order?.format === 'ubl' && digits !== undefined && digits > UBL_DIGITS_MAX)
    problems.push(`order.format must not be ubl: such orders cannot state amounts of ${currency}`)
  if (new Set(sites.map(({ id }) => id)).size !== sites.length) problems.push('sites has an id twice')
  return problems
}

export function catalogProblems({
  format = 'table',
  columns,
  tax_rate: taxRate = 0,
}: Partly<CatalogSettings>): string[] {
  const problems: string[] = []
  if (minorOfNumber(taxRate, RATE_DIGITS) === undefined)
    problems.push(`catalog.tax_rate must be a percentage with at most ${RATE_DIGITS} digits after the point`)
  if (format === 'ubl-catalogue' || format === 'x12-catalogue') {
    if (columns) problems.push('catalog.columns is for the format table only')
    return problems
  }
  if (!columns) return [...problems, 'catalog.columns is missing']
  if (!columns['title']) problems.push('catalog.columns.title is missing')
  if (!columns['pack_price'] && !columns['each_price'])
    problems.push('catalog.columns must name pack_price, each_price or both')
  return problems
}

/** What each way to send needs. */
const NEEDED = { hand: [], folder: ['out'], email: ['to', 'from', 'smtp'], http: ['url'] } as const

function orderProblems(order: Partly<OrderSettings>): string[] {
  const { via, format } = order
  if (via === undefined || format === undefined) return []
  const needed: readonly (keyof typeof order)[] = NEEDED[via]
  const problems = needed.filter((name) => order[name] === undefined).map((name) => `order.${name} is missing`)
  for (const [other, names] of Object.entries(NEEDED))
    for (const name of names)
      if (other !== via && order[name] !== undefined) problems.push(`order.${name} is for orders via ${other} only`)
  if (via !== 'email' && order.cc !== undefined) problems.push('order.cc is for orders via email only')
  if (via === 'http' && format !== 'cxml') problems.push('order.format must be cxml for orders via http')
  for (const name of ['x12', 'cxml', 'ubl'] as const)
    if (order[name] && format !== name) problems.push(`order.${name} is for the format ${name} only`)
  return problems
}
