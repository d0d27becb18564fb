/** One file of the folder: the reading in it, which machine it is of and when it was taken, or why it is refused. Pure. */
import { hash } from 'node:crypto'
import { type Counter, type Reading, type Selection, hasReadableCounters, readMeters } from './dex-reading.ts'
import { type DexText, readDexText } from './dex-text.ts'
import { type ClockSetting, timeOfReading } from './reading-time.ts'
import { type MachineSetting, MACHINE_KEYS } from './settings.ts'

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
  readonly notices: readonly string[]
}

export type FileOutcome =
  | { readonly ok: true; readonly value: MachineReading }
  | { readonly ok: false; readonly location: string | undefined; readonly problem: string }

export interface FileSettings {
  readonly machines: readonly MachineSetting[]
  readonly timeZone: string
  readonly clock: ClockSetting
  readonly acceptsBadChecksum: boolean
  readonly currency: string
  readonly digits: number
}

const HASH_LENGTH = 12

export function readDexFile({ name, bytes, writtenAt }: DexFile, settings: FileSettings): FileOutcome {
  const text = readDexText(bytes)
  const machine = findMachine(settings.machines, name, text)
  const location = machine?.location
  const refuse = (problem: string): FileOutcome => ({ ok: false, location, problem })
  if (!text) return refuse('there is no DEX audit file in it')
  const read = readMeters(text.segments)
  if (!read) return refuse('it has no meters')
  if (!machine || location === undefined)
    return refuse(`it belongs to no configured machine (${identityOf(read, text)})`)
  if (text.checksum === 'wrong' && !settings.acceptsBadChecksum) return refuse('its checksum is wrong')
  if (text.checksum === 'absent' && isCutOff(text)) return refuse('it ends before its trailer')
  if (text.checksum !== 'right' && !hasReadableCounters(text.segments))
    return refuse('one of its counters is not a number')
  if (read.currency !== undefined && read.currency !== settings.currency)
    return refuse(`its amounts are in ${read.currency}, not in ${settings.currency}`)
  const reading = toMinorUnits(read, settings.digits)
  if (!reading) return refuse(`its amounts have more decimal places than ${settings.currency}`)
  const timeZone = machine.time_zone ?? settings.timeZone
  const { at, clockOffMs } = timeOfReading(read, text.envelope, {
    fileTime: writtenAt,
    timeZone,
    setting: settings.clock,
  })
  const stated = read.readAt ?? read.clock
  const stamp = stated && `${stated.date}${stated.time}`
  return {
    ok: true,
    value: {
      location,
      hash: hash('sha256', JSON.stringify(text.segments), 'hex').slice(0, HASH_LENGTH),
      at,
      ...(stamp === undefined ? {} : { stamp }),
      isFileTime: clockOffMs !== undefined,
      reading,
      notices: [
        ...(text.checksum === 'absent' ? ['The file has no checksum'] : []),
        ...(text.checksum === 'wrong' ? ['The checksum is wrong and was accepted'] : []),
        ...(reading.reconciled ? [] : ["The selections do not add up to the machine's total"]),
        ...(clockOffMs === undefined ? [] : ["The machine's clock is wrong; the time of the file was used"]),
      ],
    },
  }
}

/** By the trailer that belongs to its first segment: DXS ends with DXE, and ST, where a gateway left out DXS, with SE. */
function isCutOff({ segments, complete }: DexText): boolean {
  const first = segments[0]?.id
  return !complete && (first === 'DXS' || (first === 'ST' && !segments.some(({ id }) => id === 'SE')))
}

function findMachine(
  machines: readonly MachineSetting[],
  name: string,
  text: DexText | undefined,
): MachineSetting | undefined {
  const field = (id: string, place: number) => text?.segments.find((segment) => segment.id === id)?.fields[place] ?? ''
  const values = {
    ID101: field('ID1', 0),
    ID106: field('ID1', 5),
    CB101: field('CB1', 0),
    OperatorIdentifier: text?.envelope.operatorIdentifier ?? '',
  }
  const found = machines.filter((machine) =>
    MACHINE_KEYS.some((key) => {
      const wanted = machine[key]?.trim()
      if (wanted === undefined) return false
      return key === 'file' ? matchesPattern(name, wanted) : values[key] !== '' && values[key] === wanted
    }),
  )
  // Two machines that claim one file would both sell what it counts.
  return found.length === 1 ? found[0] : undefined
}

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
  const converted: Reading = {
    ...reading,
    digits,
    total: { ...counter(reading.total), sinceReset: counter(reading.total.sinceReset) },
    selections: reading.selections.map(selection),
  }
  return isExact ? converted : undefined
}
