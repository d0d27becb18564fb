/** Whether a machine is connected, when it last reported, and what it complained about. */
import type { Result } from '../contract.ts'
import type { MachineHealth } from '../machine-vendor.ts'
import { succeed } from '../result.ts'
import { object } from '../upstream/read-json.ts'
import { sanitizeText } from '../upstream/sanitize-text.ts'
import { keepRows, checkMachine, idIn, nullableText, nullableWhole, readListing, readReply } from './reply.ts'
import { readUtc } from './utc-time.ts'

const MOST_PROBLEMS = 10

/** One field that is not as documented does not hide the others: here nothing is counted or paid. */
export const readStatus = (json: unknown, machineId: string, nowMs: number) =>
  readReply(json, (reply) => {
    const status = object(reply, 'reply')
    checkMachine(status, machineId)
    const online = status['MachineMQTTStatus']
    const signs = ['LastKeepAliveDateTime', 'LastTransactionDateTime', 'LastDEXReadDateTime']
    const seen = Math.max(...signs.map((name) => readUtc(status[name]) ?? 0))
    return succeed({
      /** Null when the platform does not report it. */
      online: typeof online === 'boolean' ? online : null,
      // Not later than now: a machine's clock may be ahead.
      lastSeenAt: seen > 0 ? Math.min(seen, nowMs) : null,
      /** When the pick list was generated: the age of its stock. */
      pickListAt: readUtc(status['PickListGeneratedDateTime']),
    })
  })

export interface MachineAlert {
  readonly at: number | null
  readonly code: number | null
  readonly text: string
}

export const readAlerts = (json: unknown, machineId: string): Result<readonly MachineAlert[]> =>
  readListing(
    json,
    {
      kind: 'site',
      id: idIn('EventLogID'),
      fieldNames: { EventCode: 'code', EventDescription: 'description', MachineID: 'machine' },
      read: (row): MachineAlert => {
        checkMachine(row, machineId)
        const code = nullableWhole(row, 'EventCode')
        const description = sanitizeText(nullableText(row, 'EventDescription') ?? '')
        return { at: readUtc(row['EventDateTimeGMT']), code, text: description || `event ${code ?? 'without a code'}` }
      },
    },
    keepRows,
  )

/** Alerts since a moment, newest first, each text once. An alert without a readable time is not known to be recent. */
export function healthOf(
  { online, lastSeenAt }: Omit<MachineHealth, 'problems'>,
  alerts: readonly MachineAlert[],
  sinceMs: number,
): MachineHealth {
  const recent = alerts
    .filter(({ at }) => at !== null && at >= sinceMs)
    .toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0))
    .map(({ text }) => text)
  return { online, lastSeenAt, problems: [...new Set(recent)].slice(0, MOST_PROBLEMS) }
}
