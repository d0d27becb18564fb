/** One reading of a machine's meters, from the segments of its DEX file. Counters only: what was sold is a difference of two. */
import { readCash } from './dex-cash.ts'
import type { Segment } from './dex-text.ts'

/** Vends of one kind: how many, and for how much in minor units. */
export interface Counter {
  readonly count: number
  /** Undefined where the machine counts vends only. */
  readonly value: number | undefined
}

export interface Selection {
  /** As on the machine's keypad: `101`, `A3`. Not a product: another machine has something else there. */
  readonly code: string
  readonly price: number | undefined
  readonly name: string | undefined
  readonly capacity: number | undefined
  readonly level: number | undefined
  /** Undefined where the file has none, or one that cannot be read. */
  readonly sinceStart: Counter | undefined
  readonly sinceReset: Counter | undefined
  /** Time of the last sell-out, in some machines of the last sale: local digits. */
  readonly lastEvent: LocalTime | undefined
}

/** A machine's own clock: digits without a time zone. */
export interface LocalTime {
  readonly date: string
  readonly time: string
}

/** Which pair of counters a maker writes first. */
export type PairOrder = 'start_first' | 'reset_first'

export type Reading = Readonly<NonNullable<ReturnType<typeof readMeters>>>

/** Undefined when the file holds no meter at all. */
export function readMeters(segments: readonly Segment[]) {
  const findFields = (id: string) => segments.find((segment) => segment.id === id)?.fields ?? []
  const [serial = '', model = '', , , , asset = ''] = findFields('ID1')
  const [places = '', numeric = '', letters = ''] = findFields('ID4')
  const [va1, va2, va3, va4] = findFields('VA1').map(toCount)
  const read = findFields('EA3')
  const clock = findFields('ID5')
  const raw = readSelections(segments)
  if (va2 === undefined && raw.length === 0) return undefined
  const total: Counter & { readonly sinceReset: Counter } = {
    count: va2 ?? 0,
    value: va1,
    sinceReset: { count: va4 ?? 0, value: va3 },
  }
  const digits = /^[0-4]$/.test(places) ? Number(places) : 2
  return {
    serial,
    model,
    asset,
    boardSerial: findFields('CB1')[0] ?? '',
    digits,
    /** ISO 4217 letters, where the file states them in any form. */
    currency: currencyOf(numeric, letters),
    /** When the machine says it was read. */
    readAt: toLocalTime(read[1], read[2], ''),
    clock: toLocalTime(clock[0], clock[1], clock[2]),
    resets: toCount(read[0]),
    total,
    cash: readCash(segments, digits, toCount),
    ...assignPairs(raw, va2, va4),
    /** Selections that an active event reports as sold out. */
    soldOut: soldOutSelections(segments),
  }
}

interface RawSelection extends Omit<Selection, 'sinceStart' | 'sinceReset'> {
  readonly pairs: readonly [Counter | undefined, Counter | undefined]
}

const COUNT_MAX = 1e12
/** All bits of a 32-bit counter: machines write it where they count nothing. */
const NOT_COUNTED = 2 ** 32 - 1

/** Whole, not negative, and small enough to be a counter. */
function toCount(field: string | undefined): number | undefined {
  if (field === undefined || !/^\d{1,12}$/.test(field)) return undefined
  const n = Number(field)
  return n <= COUNT_MAX && n !== NOT_COUNTED ? n : undefined
}

const pairOf = (count: string | undefined, value: string | undefined): Counter | undefined => {
  const n = toCount(count)
  return n === undefined ? undefined : { count: n, value: toCount(value) }
}

const add = (a: Counter | undefined, b: Counter | undefined): Counter | undefined =>
  a && b
    ? {
        count: a.count + b.count,
        value: a.value === undefined || b.value === undefined ? undefined : a.value + b.value,
      }
    : (a ?? b)

/** Where each segment has its counters. */
const COUNTERS: Readonly<Record<string, readonly [number, number]>> = { VA1: [0, 4], PA2: [0, 4], PA7: [4, 8] }

/** Whether every counter that is filled in is one: without a checksum, a damaged one would pass for one that is not there. */
export const hasReadableCounters = (segments: readonly Segment[]): boolean =>
  segments.every(({ id, fields }) => {
    const place = COUNTERS[id]
    return (
      !place ||
      fields
        .slice(...place)
        .every((field) => field === '' || field === String(NOT_COUNTED) || toCount(field) !== undefined)
    )
  })

/** PA1 opens a selection; PA2 counts its paid vends. Without PA2 the lists of PA7 are added up; without those, LA1. */
function readSelections(segments: readonly Segment[]): readonly RawSelection[] {
  const found = new Map<string, RawSelection & { fromLists?: readonly [Counter | undefined, Counter | undefined] }>()
  let open: string | undefined
  for (const { id, fields } of segments) {
    if (id === 'PA1') {
      const [code = '', price, name = '', capacity, , , , level] = fields
      // Without a selection the counters that follow belong to nothing we could name.
      open = /^[\w-]{1,6}$/.test(code) ? code : undefined
      if (open === undefined || found.has(open)) continue
      found.set(open, {
        code: open,
        price: toCount(price),
        name: name === '' || name === open ? undefined : name,
        capacity: toCount(capacity),
        level: toCount(level),
        lastEvent: undefined,
        pairs: [undefined, undefined],
      })
    } else if (open !== undefined && (id === 'PA2' || id === 'PA5' || id === 'PA7')) {
      const known = found.get(open)
      if (!known) continue
      if (id === 'PA2' && !known.pairs[0])
        found.set(open, { ...known, pairs: [pairOf(fields[0], fields[1]), pairOf(fields[2], fields[3])] })
      else if (id === 'PA5') found.set(open, { ...known, lastEvent: toLocalTime(fields[0], fields[1], '') })
      else if (id === 'PA7' && fields[0] === open) {
        const [start, reset] = known.fromLists ?? [undefined, undefined]
        const lists = [add(start, pairOf(fields[4], fields[5])), add(reset, pairOf(fields[6], fields[7]))] as const
        found.set(open, { ...known, fromLists: lists })
      }
    }
  }
  const all = [...found.values()]
  const counted = all.map(({ fromLists, ...selection }) =>
    selection.pairs[0] || selection.pairs[1] || !fromLists ? selection : { ...selection, pairs: fromLists },
  )
  return counted.some(({ pairs }) => pairs[0] ?? pairs[1]) ? counted : fromPriceLists(segments, counted)
}

/** LA1: list, selection, price, count since the start. Used where nothing else counts selections. */
function fromPriceLists(segments: readonly Segment[], known: readonly RawSelection[]): readonly RawSelection[] {
  const counts = new Map<string, Counter>()
  for (const { id, fields } of segments) {
    const [list, code = '', price, count, sinceStart] = fields
    if (id !== 'LA1' || list === undefined || code === '') continue
    const vends = toCount(sinceStart ?? count)
    const each = toCount(price)
    if (vends === undefined) continue
    counts.set(code, add(counts.get(code), { count: vends, value: each === undefined ? undefined : each * vends })!)
  }
  return known.map((selection) => ({ ...selection, pairs: [counts.get(selection.code), undefined] as const }))
}

/** Which pair counts since the start is decided by the sums, because makers disagree about their order. */
function assignPairs(
  raw: readonly RawSelection[],
  vendsSinceStart: number | undefined,
  vendsSinceReset: number | undefined,
) {
  const sum = (n: 0 | 1) => raw.reduce((total, { pairs }) => total + (pairs[n]?.count ?? 0), 0)
  const [one, two] = [sum(0), sum(1)]
  const hasSecond = raw.some(({ pairs }) => pairs[1])
  const inOrder = one === vendsSinceStart
  const swapped = !inOrder && hasSecond && two === vendsSinceStart
  // Sums of zero say nothing: many machines never reset.
  const byReset = !inOrder && !swapped && hasSecond && two > 0 && two === vendsSinceReset
  const [start, reset] = swapped ? ([1, 0] as const) : ([0, 1] as const)
  const order: PairOrder | undefined = swapped ? 'reset_first' : inOrder || byReset ? 'start_first' : undefined
  return {
    selections: raw.map(({ pairs, ...selection }): Selection => ({
      ...selection,
      sinceStart: pairs[start],
      sinceReset: pairs[reset],
    })) as readonly Selection[],
    /** The selections add up to the machine's total: since the start, or since the last reset. */
    reconciled: raw.length > 0 && (inOrder || swapped || byReset),
    /** Undefined where the sums do not decide. The counters are then read as `start_first`. */
    pairOrder: one === two ? undefined : order,
  }
}

/** The counters of a reading whose sums do not decide, in the order that earlier readings of the machine had. */
export function applyPairOrder(reading: Reading, known: PairOrder | undefined): Reading {
  if (reading.pairOrder !== undefined || known !== 'reset_first') return reading
  const selections = reading.selections.map((selection) => ({
    ...selection,
    sinceStart: selection.sinceReset,
    sinceReset: selection.sinceStart,
  }))
  return { ...reading, selections }
}

/** EA2 `ELB_507` with an active flag: selection 507 is sold out. */
const soldOutSelections = (segments: readonly Segment[]): readonly string[] =>
  segments.flatMap(({ id, fields }) => {
    const code = /^ELB_(\w{1,6})$/.exec(fields[0] ?? '')?.[1]
    return id === 'EA2' && code !== undefined && fields.slice(1).includes('1') ? [code] : []
  })

/** `231210` or `20231210`; `2310`, `231053`, or `2310` with the seconds apart. */
function toLocalTime(
  date: string | undefined,
  time: string | undefined,
  seconds: string | undefined,
): LocalTime | undefined {
  if (date === undefined || !/^(?:\d{6}|\d{8})$/.test(date)) return undefined
  const full = date.length === 6 ? `20${date}` : date
  const digits = time !== undefined && /^\d{4}(?:\d{2})?$/.test(time) ? time : '0000'
  const tail = digits.length === 4 ? (seconds !== undefined && /^\d{2}$/.test(seconds) ? seconds : '00') : ''
  const [month, day] = [Number(full.slice(4, 6)), Number(full.slice(6, 8))]
  const whole = `${digits}${tail}`
  const isReal =
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= 31 &&
    Number(whole.slice(0, 2)) < 24 &&
    Number(whole.slice(2, 4)) < 60
  return isReal ? { date: full, time: whole } : undefined
}

/** ISO 4217 numbers of the currencies machines were seen to use; others are known by their letters only. */
const NUMERIC: Readonly<Record<string, string>> = {
  '036': 'AUD',
  '124': 'CAD',
  '156': 'CNY',
  '208': 'DKK',
  '344': 'HKD',
  '348': 'HUF',
  '356': 'INR',
  '392': 'JPY',
  '410': 'KRW',
  '484': 'MXN',
  '554': 'NZD',
  '578': 'NOK',
  '702': 'SGD',
  '752': 'SEK',
  '756': 'CHF',
  '784': 'AED',
  '826': 'GBP',
  '840': 'USD',
  '901': 'TWD',
  '946': 'RON',
  '949': 'TRY',
  '975': 'BGN',
  '978': 'EUR',
  '985': 'PLN',
  '986': 'BRL',
}

/** ID402 is `1` and the ISO number, the number alone, or a dialling code; ID403 the letters, or a number again. */
function currencyOf(numeric: string, letters: string): string | undefined {
  if (/^[A-Z]{3}$/.test(letters)) return letters
  const number = /^1(\d{3})$/.exec(numeric)?.[1] ?? (/^\d{3}$/.test(numeric) ? numeric : letters)
  return NUMERIC[number]
}
