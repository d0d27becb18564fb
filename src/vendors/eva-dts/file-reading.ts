/** One file of the folder: the readings in it, which machines they are of and when they were taken, or why they are refused. Pure. */
import { hash } from 'node:crypto'
import { type Counter, type Reading, type Selection, hasReadableCounters, readMeters } from './dex-reading.ts'
import { type DexText, readDexTexts, TRANSMISSIONS_MAX } from './dex-text.ts'
import { type ClockSetting, type ReadingTime, timeOfReading } from './reading-time.ts'
import { type MachineKey, type MachineSetting, MACHINE_KEYS } from './settings.ts'

export interface DexFile {
  /** Its base name, for patterns and texts. */
  readonly name: string
  readonly bytes: Uint8Array
  /** When it was last written, epoch milliseconds. */
  readonly writtenAt: number
}

export interface MachineReading {
  readonly location: string
  /** Of the counters' text: the same file under another name is the same reading. */
  readonly hash: string
  readonly at: number
  /** The machine's own time, digits that sort; absent where it states none. */
  readonly stamp?: string
  /** The time is the file's, because the machine's clock was not believed. */
  readonly isFileTime: boolean
  /** Amounts are minor units of the deployment's currency. */
  readonly reading: Reading
  /** `right`, or the checksum that the machine writes into every file; absent where the file has none. */
  readonly checksum?: string
  readonly notices: readonly string[]
}

export type ReadingOutcome = { readonly ok: true; readonly value: MachineReading } | RefusedReading

export interface RefusedReading {
  readonly ok: false
  readonly location: string | undefined
  readonly problem: string
  /** Of a machine that no setting names, what its file says about it. */
  readonly stranger?: MachineIdentity
  /** The reading, where nothing but its checksum is wrong. */
  readonly unconfirmed?: UnconfirmedReading
}

/** What can tell a machine from others; empty where the file does not say. */
export type MachineIdentity = Readonly<Record<MachineKey, string>> & { readonly model: string }

export interface UnconfirmedReading extends MachineReading {
  /** The wrong checksum, as the file states it. */
  readonly checksum: string
}

export interface FileSettings {
  readonly machines: readonly MachineSetting[]
  readonly timeZone: string
  readonly clock: ClockSetting
  readonly acceptsBadChecksum: boolean
  readonly currency: string
  readonly digits: number
}

const HASH_LENGTH = 12
/** Far more than any machine has. */
const SELECTIONS_MAX = 1_000

/** The readings in a file, in its order; a file without any gives one refusal. */
export function readDexFile({ name, bytes, writtenAt }: DexFile, settings: FileSettings): readonly ReadingOutcome[] {
  const texts = readDexTexts(bytes)
  const refuseFile = (problem: string): readonly ReadingOutcome[] => {
    const location = onlyOne(findMachines(settings.machines, name, texts[0]))?.location
    return [{ ok: false, location, problem }]
  }
  if (texts.length === 0) return refuseFile('there is no DEX audit file in it')
  if (texts.length > TRANSMISSIONS_MAX) return refuseFile(`it holds more than ${TRANSMISSIONS_MAX} readings`)
  // Some machines send a list of their settings beside the meters.
  const metered = texts.flatMap((text) => {
    const read = readMeters(text.segments)
    if (!read) return []
    const claims = findMachines(settings.machines, name, text)
    const stranger = claims.length === 0 ? { ...keysOf(name, text), model: read.model } : undefined
    return [{ text, read, machine: onlyOne(claims), stranger }]
  })
  if (metered.length === 0) return refuseFile('it has no meters')
  /** By machine: the reading that stands behind in the file. */
  const later = new Map<string, ReadingTime>()
  const outcomes = metered.toReversed().map((one, fromEnd): ReadingOutcome => {
    // Of readings without a time of their own the order in the file is all that is known.
    const outcome = checkReading(one, settings, { fileTime: writtenAt - fromEnd, later })
    if (outcome.ok || metered.length === 1) return outcome
    return { ...outcome, problem: `reading ${metered.length - fromEnd} of ${metered.length}: ${outcome.problem}` }
  })
  return outcomes.toReversed()
}

interface MeteredText {
  readonly text: DexText
  readonly read: Reading
  readonly machine: MachineSetting | undefined
  readonly stranger: MachineIdentity | undefined
}

function checkReading(
  { text, read, machine, stranger }: MeteredText,
  settings: FileSettings,
  { fileTime, later }: { readonly fileTime: number; readonly later: Map<string, ReadingTime> },
): ReadingOutcome {
  const location = machine?.location
  const refuse = (problem: string): ReadingOutcome => ({ ok: false, location, problem })
  if (!machine || location === undefined)
    return {
      ok: false,
      location,
      problem: `it belongs to no configured machine (${identityOf(read, text)})`,
      ...(stranger && { stranger }),
    }
  if (read.selections.length > SELECTIONS_MAX) return refuse(`it lists more than ${SELECTIONS_MAX} selections`)
  const acceptsWrong = machine.accept_bad_checksum ?? settings.acceptsBadChecksum
  if (text.checksum === 'absent' && isCutOff(text)) return refuse('it ends before its trailer')
  if (text.checksum !== 'right' && !hasReadableCounters(text.segments))
    return refuse(text.checksum === 'wrong' && !acceptsWrong ? WRONG_CHECKSUM : 'one of its counters is not a number')
  if (read.currency !== undefined && read.currency !== settings.currency)
    return refuse(`its amounts are in ${read.currency}, not in ${settings.currency}`)
  const reading = toMinorUnits(read, settings.digits)
  if (!reading) return refuse(`its amounts have more decimal places than ${settings.currency}`)
  const timeZone = machine.time_zone ?? settings.timeZone
  const next = later.get(location)
  const time = timeOfReading(read, text.envelope, { fileTime, next, timeZone, setting: settings.clock })
  later.set(location, time)
  const { at, clockOffMs } = time
  const stated = read.readAt ?? read.clock
  const stamp = stated && `${stated.date}${stated.time}`
  const value: MachineReading = {
    location,
    hash: hash('sha256', JSON.stringify(text.segments), 'hex').slice(0, HASH_LENGTH),
    at,
    ...(stamp === undefined ? {} : { stamp }),
    isFileTime: clockOffMs !== undefined,
    reading,
    ...(text.checksum === 'right' ? { checksum: 'right' } : {}),
    notices: [
      ...(text.checksum === 'absent' ? ['The file has no checksum'] : []),
      ...(reading.selections.length === 0 ? ['The machine reports no selections: its sales have no product'] : []),
      ...(reading.reconciled || reading.selections.length === 0
        ? []
        : ["The selections do not add up to the machine's total"]),
      ...(clockOffMs === undefined ? [] : ["The machine's clock is wrong; the time of the file was used"]),
    ],
  }
  if (text.checksum !== 'wrong') return { ok: true, value }
  if (acceptsWrong) return { ok: true, value: withNotice(value, 'The checksum is wrong and was accepted') }
  const { statedChecksum: checksum } = text
  return {
    ok: false,
    location,
    problem: WRONG_CHECKSUM,
    ...(checksum === undefined || isCutOff(text) ? {} : { unconfirmed: { ...value, checksum } }),
  }
}

const WRONG_CHECKSUM = 'its checksum is wrong'

export const withNotice = <R extends MachineReading>(reading: R, notice: string): R => ({
  ...reading,
  notices: [notice, ...reading.notices],
})

/** By the trailer that belongs to its first segment: DXS ends with DXE, and ST, where a gateway left out DXS, with SE. */
function isCutOff({ segments, complete }: DexText): boolean {
  const first = segments[0]?.id
  return !complete && (first === 'DXS' || (first === 'ST' && !segments.some(({ id }) => id === 'SE')))
}

function keysOf(name: string, text: DexText | undefined): Readonly<Record<MachineKey, string>> {
  const field = (id: string, place: number) => text?.segments.find((segment) => segment.id === id)?.fields[place] ?? ''
  return {
    ID101: field('ID1', 0),
    ID106: field('ID1', 5),
    CB101: field('CB1', 0),
    OperatorIdentifier: text?.envelope.operatorIdentifier ?? '',
    file: name,
  }
}

function findMachines(
  machines: readonly MachineSetting[],
  name: string,
  text: DexText | undefined,
): readonly MachineSetting[] {
  const values = keysOf(name, text)
  return machines.filter((machine) =>
    MACHINE_KEYS.some((key) => {
      const wanted = machine[key]?.trim()
      if (wanted === undefined) return false
      return key === 'file' ? matchesPattern(name, wanted) : values[key] !== '' && values[key] === wanted
    }),
  )
}

/** Two machines that claim one file would both sell what it counts. */
const onlyOne = (found: readonly MachineSetting[]): MachineSetting | undefined =>
  found.length === 1 ? found[0] : undefined

function matchesPattern(name: string, pattern: string): boolean {
  const escaped = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^${escaped.join('.*')}$`, 'su').test(name)
}

const identityOf = ({ serial, asset, boardSerial }: Reading, { envelope }: DexText): string =>
  [
    `ID101 "${serial}"`,
    `ID106 "${asset}"`,
    ...(boardSerial === '' ? [] : [`CB101 "${boardSerial}"`]),
    ...(envelope.operatorIdentifier === undefined ? [] : [`OperatorIdentifier "${envelope.operatorIdentifier}"`]),
  ].join(', ')

/** The file says how many decimal places its amounts have. Undefined when the currency cannot express one of them. */
function toMinorUnits(reading: Reading, digits: number): Reading | undefined {
  const shift = digits - reading.digits
  if (shift === 0) return reading
  let isExact = true
  const convert = (amount: number | undefined): number | undefined => {
    if (amount === undefined) return undefined
    const scaled = shift > 0 ? amount * 10 ** shift : amount / 10 ** -shift
    if (!Number.isSafeInteger(scaled)) isExact = false
    return scaled
  }
  const counter = ({ count, value }: Counter): Counter => ({ count, value: convert(value) })
  const selection = (one: Selection): Selection => ({
    ...one,
    price: convert(one.price),
    sinceStart: one.sinceStart && counter(one.sinceStart),
    sinceReset: one.sinceReset && counter(one.sinceReset),
  })
  // Cash beside the sales: what the currency cannot express is not counted.
  const cash = (amount: number | undefined): number | undefined => {
    const scaled = amount === undefined ? undefined : amount * 10 ** shift
    return Number.isSafeInteger(scaled) ? scaled : undefined
  }
  const converted: Reading = {
    ...reading,
    digits,
    cash: reading.cash && { sinceStart: cash(reading.cash.sinceStart), sinceReset: cash(reading.cash.sinceReset) },
    total: { ...counter(reading.total), sinceReset: counter(reading.total.sinceReset) },
    selections: reading.selections.map(selection),
  }
  return isExact ? converted : undefined
}
