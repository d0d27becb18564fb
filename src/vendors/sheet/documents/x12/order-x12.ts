/** An order as an X12 850 purchase order, version 4010, one transaction set in one interchange. */
import { decimalOf } from '../../../../kernel/minor-units.ts'
import { contactName, countryCode, findProblem, orderNote, orderTime } from '../order-document.ts'
import type { SupplyAddress } from '../../../supply-vendor.ts'
import type { Order, OrderLine, WrittenOrder } from '../order-document.ts'
import type { X12Identity } from '../../settings.ts'

export interface X12Settings {
  readonly sender: X12Identity
  readonly receiver: X12Identity
  /** Up to nine digits, one per order and the same for every retry: an acknowledgement (997) names nothing else. */
  readonly controlNumber: number
  /** Stands for a reference above 22 characters; the same for every retry. */
  readonly number?: string | undefined
  readonly isTest?: boolean
}

/** BEG03 holds no more. */
export const X12_NUMBER_MAX = 22

const ELEMENT = '*'
const COMPONENT = '>'
const SEGMENT = '~'
const UNIT_CODES = { each: 'EA', pack: 'CA' } as const

export function writeX12Order(order: Order, settings: X12Settings): WrittenOrder {
  const problem = findProblem(order) ?? findX12Problem(order, settings)
  if (problem !== undefined) return { ok: false, problem }
  const { ref, currency, digits, lines, totals, buyer, destination } = order
  const { sender, receiver, isTest = false } = settings
  const number = settings.number ?? ref
  const control = String(settings.controlNumber)
  const at = orderTime(order)
  const date = at.toPlainDate().toString().replaceAll('-', '')
  const time = at.toPlainTime().toString({ smallestUnit: 'minute' }).replace(':', '')
  const amount = (minor: number) => decimalOf(minor, digits)
  const note = clean(orderNote(order) ?? '', 264)

  const body = [
    ['BEG', '00', 'SA', number, '', date],
    ['CUR', 'BY', currency],
    // The whole reference beside its short number, for people.
    ...(number !== ref && ref.length <= 30 ? [['REF', 'CO', ref]] : []),
    ...(totals.tax === 0 ? [] : [['TXI', 'TX', amount(totals.tax)]]),
    ...(note === ''
      ? []
      : [
          ['N9', 'ZZ', 'NOTE'],
          ['MSG', note],
        ]),
    ...party('BY', buyer.name, buyer.account === '' ? [] : ['91', clean(buyer.account, 80)], buyer.address),
    ...party('ST', contactName(destination) || buyer.name, [], destination),
    ...lines.flatMap((line) => lineSegments(line, amount)),
    ['CTT', String(lines.length), String(lines.reduce((sum, { quantity }) => sum + quantity, 0))],
    ['AMT', 'TT', amount(totals.total)],
  ]
  const segments = [
    // The one segment of fixed width: readers take the separators from their places in it.
    [
      'ISA',
      '00',
      ' '.repeat(10),
      '00',
      ' '.repeat(10),
      sender.qualifier,
      sender.id.padEnd(15),
      receiver.qualifier,
      receiver.id.padEnd(15),
      date.slice(2),
      time,
      'U',
      '00401',
      control.padStart(9, '0'),
      '0',
      isTest ? 'T' : 'P',
      COMPONENT,
    ],
    ['GS', 'PO', sender.id, receiver.id, date, time, control, 'X', '004010'],
    ['ST', '850', '0001'],
    ...body,
    ['SE', String(body.length + 2), '0001'],
    ['GE', '1', control],
    ['IEA', '1', control.padStart(9, '0')],
  ]
  return { ok: true, document: segments.map((elements) => `${joinElements(elements)}${SEGMENT}\n`).join('') }
}

/** What identifies something is never altered: where the format cannot hold it, there is no document. */
function findX12Problem({ ref, lines }: Order, { sender, receiver, controlNumber, number }: X12Settings) {
  if ((number ?? ref).length > X12_NUMBER_MAX)
    return `an X12 order number has at most ${X12_NUMBER_MAX} characters; a short number is needed`
  if (number !== undefined && !/^[A-Za-z0-9._-]+$/.test(number)) return 'the short number is unusable'
  if (!Number.isSafeInteger(controlNumber) || controlNumber < 1 || controlNumber > 999_999_999)
    return 'the control number has to be 1 to 999999999'
  for (const { qualifier, id } of [sender, receiver])
    if (!/^[A-Z0-9]{2}$/.test(qualifier) || !/^[A-Za-z0-9 ._-]{2,15}$/.test(id)) return 'an interchange id is unusable'
  const wrong = lines.find(({ vendorSku }) => vendorSku.length > 48 || vendorSku !== clean(vendorSku, 48))
  return wrong && `line ${wrong.lineNumber}: X12 cannot hold the SKU ${wrong.vendorSku}`
}

/** Empty elements at the end of a segment are left out. */
function joinElements(elements: readonly string[]): string {
  const last = elements.findLastIndex((element) => element !== '')
  return elements.slice(0, last + 1).join(ELEMENT)
}

function lineSegments(line: OrderLine, amount: (minor: number) => string): readonly (readonly string[])[] {
  const { lineNumber, vendorSku, title, quantity, unit, contains, unitPrice, barcode } = line
  const description = clean(title, 80)
  return [
    [
      'PO1',
      String(lineNumber),
      String(quantity),
      UNIT_CODES[unit],
      amount(unitPrice),
      '',
      'VN',
      vendorSku,
      ...barcodeElements(barcode),
    ],
    // A title in another script would be nothing but question marks.
    ...(/[A-Za-z0-9]/.test(description) ? [['PID', 'F', '', '', '', description]] : []),
    ...(unit === 'pack' ? [['PO4', String(contains)]] : []),
  ]
}

const BARCODE_QUALIFIERS: Readonly<Record<number, string>> = { 12: 'UP', 13: 'EN', 14: 'UK' }

/** By their length; 4010 has no qualifier for eight digits. */
function barcodeElements(barcode: string | undefined): readonly string[] {
  const qualifier = BARCODE_QUALIFIERS[barcode?.length ?? 0]
  return barcode !== undefined && qualifier !== undefined && /^\d+$/.test(barcode) ? [qualifier, barcode] : []
}

function party(
  role: 'BY' | 'ST',
  name: string,
  identifier: readonly string[],
  address: SupplyAddress,
): readonly (readonly string[])[] {
  const street = [address.street_address, address.extended_address].map((line) => clean(line ?? '', 55)).filter(Boolean)
  const region = clean(address.address_region ?? '', 30)
  const place = [
    clean(address.address_locality ?? '', 30),
    /^[A-Za-z]{2}$/.test(region) ? region.toUpperCase() : '',
    clean(address.postal_code ?? '', 15),
    countryCode(address) ?? '',
    ...(region.length > 2 ? ['SP', region] : []),
  ]
  return [
    ['N1', role, clean(name, 60), ...identifier],
    ...(street.length === 0 ? [] : [['N3', ...street]]),
    ...(place.some((element) => element !== '') ? [['N4', ...place]] : []),
  ]
}

/** Text for people in ASCII: accents dropped, other scripts as question marks, separators as blanks. */
const clean = (text: string, most: number): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[*~>^\s]+/g, ' ')
    .replaceAll(/[^\x20-\x7E]/gu, '?')
    .trim()
    .slice(0, most)
    .trim()
