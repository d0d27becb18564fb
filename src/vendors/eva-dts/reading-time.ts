/** When a reading was taken: by the machine's clock where that can be believed, else by the file. Pure. */
import { HOUR } from '../../kernel/clock.ts'
import { fromWallTime } from '../upstream/wall-time.ts'
import type { LocalTime, Reading } from './dex-reading.ts'
import type { Envelope } from './dex-text.ts'

/** Machines lose their clock: 2007, 2010 and 2037 were seen. A day off is a wrong time zone or summer time at worst. */
const BELIEVED_WITHIN_MS = 25 * HOUR

export type ClockSetting = 'file' | 'machine' | 'received'

export interface ReadingTime {
  readonly at: number
  /** The machine's clock said so. */
  readonly isMachineTime: boolean
  /** How far the machine's clock is from the file's time, where it was not believed. */
  readonly clockOffMs?: number
}

/** `next`: of the reading of the same machine that stands behind in the file, which may be days later. */
export function timeOfReading(
  { readAt, clock }: Pick<Reading, 'readAt' | 'clock'>,
  { machineDate }: Envelope,
  {
    fileTime,
    next,
    timeZone,
    setting,
  }: {
    readonly fileTime: number
    readonly next?: ReadingTime | undefined
    readonly timeZone: string
    readonly setting: ClockSetting
  },
): ReadingTime {
  if (setting === 'received') return { at: fileTime, isMachineTime: false }
  const byMachine = epochOf(readAt ?? clock, timeZone) ?? epochOf(envelopeTime(machineDate), timeZone)
  if (byMachine === undefined) return { at: fileTime, isMachineTime: false }
  const off = byMachine - fileTime
  const isBelieved = next?.isMachineTime ? byMachine <= next.at : Math.abs(off) <= BELIEVED_WITHIN_MS
  return setting === 'machine' || isBelieved
    ? { at: byMachine, isMachineTime: true }
    : { at: fileTime, isMachineTime: false, clockOffMs: off }
}

export function epochOf(local: LocalTime | undefined, timeZone: string): number | undefined {
  if (!local) return undefined
  const { date, time } = local
  const day = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6, 8)}`
  return fromWallTime(`${day} ${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4, 6)}`, timeZone) ?? undefined
}

/** `yyyyMMdd HHmmss_SSS` */
function envelopeTime(text: string | undefined): LocalTime | undefined {
  const [, date, time] = /^(\d{8}) (\d{6})/.exec(text ?? '') ?? []
  return date !== undefined && time !== undefined ? { date, time } : undefined
}
