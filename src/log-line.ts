/** A line of the log as a person reads it on a terminal: `08:12:03 WARN waiting for the database  reason=…`. */

const LEVELS: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO ',
  40: 'WARN ',
  50: 'ERROR',
  60: 'FATAL',
}
const INFO = 30
const FAILED_STATUS = 400
/** Control characters of a message could change what the terminal shows. */
// eslint-disable-next-line no-control-regex -- exactly these are replaced
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g

interface LogRecord {
  readonly level: number
  readonly time: string
  readonly msg?: string
  readonly status?: number
  readonly request_id?: string
  readonly [field: string]: unknown
}

/**
 * Requests that succeeded are left out, unless the level is debug: they would push the address and the token of the
 * console out of sight within seconds.
 */
export function terminalLine(level: string): (json: string) => string {
  const showsRequests = level === 'debug' || level === 'trace'
  return (json) => {
    const record = JSON.parse(json) as LogRecord
    if (!showsRequests && isRoutineRequest(record)) return ''
    const { level: number, time, msg = '', request_id: _, ...fields } = record
    const clock = new Date(time).toTimeString().slice(0, 8)
    const more = Object.entries(fields).map(([name, value]) => `${name}=${fieldText(value)}`)
    return `${[`${clock} ${LEVELS[number] ?? number} ${printableText(msg)}`, ...more].join('  ')}\n`
  }
}

const isRoutineRequest = ({ level, status = 0, request_id }: LogRecord): boolean =>
  request_id !== undefined && level === INFO && status < FAILED_STATUS

const printableText = (text: string): string => text.replaceAll(CONTROL, ' ')

function fieldText(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'message' in value) return printableText(String(value.message))
  return printableText(typeof value === 'string' ? value : JSON.stringify(value))
}
