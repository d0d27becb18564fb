/**
 * What can go wrong between the service and an upstream, on demand. A fault waits until a call matches it, happens as
 * often as it was asked for, and is gone.
 */
import { isRecord, isText, isWhole } from './parse.ts'

export type Upstream = 'supply' | 'machine'

export const FAULT_KINDS = [
  /** The gateway answers instead of the upstream, with HTML or nothing. */
  'gateway 429',
  'gateway 502',
  'gateway 503',
  'gateway 504',
  /** No answer at all. */
  'timeout',
  /** The connection breaks before the upstream did anything, or after it did everything. */
  'drop before',
  'drop after',
  /** The work is done, but the reply cannot be understood: a page, half of it, cut text, another shape, endless. */
  'html',
  'truncate',
  'broken json',
  'wrong json',
  'huge',
  /** A documented failure code. */
  'code',
  /** Any reply one likes: `status` and `body`. */
  'reply',
  /** Waits `ms`, then works, even when nobody listens any more; with `after` it works first. */
  'slow',
  'offline device',
  /** Only the first half of a list of prices or of advice is carried out. */
  'partial',
  /** All tokens issued so far are void. */
  'expire token',
  /** Firmware that answers an unknown device with somebody's goods. */
  'default list',
] as const

export type FaultKind = (typeof FAULT_KINDS)[number]

export interface Fault {
  readonly match?: {
    readonly upstream?: Upstream
    readonly method?: string
    /** Found anywhere in the path with its query. */
    readonly path?: string
    /** Spares the matching calls before this one; 1 is the first. */
    readonly nth?: number
  }
  readonly do: FaultKind
  /** How many calls it hits; 1 unless told, 0 means all. */
  readonly times?: number
  /** For gateway, timeout, code, reply and slow: the work is done first. */
  readonly after?: boolean
  readonly ms?: number
  readonly code?: number | string
  readonly text?: string
  /** Seconds, told by `gateway 429` and by code 42900. */
  readonly retryAfter?: number
  readonly status?: number
  readonly body?: string
}

export interface Call {
  readonly upstream: Upstream
  readonly method: string
  readonly url: string
}

export interface Faults {
  add(...faults: readonly Fault[]): void
  clear(): void
  pending(): readonly Fault[]
  /** The fault this call meets, used up by one; the one added first wins. */
  take(call: Call): Fault | undefined
}

export const MAX_FAULTS = 1000

interface Waiting {
  readonly fault: Fault
  spared: number
  left: number
}

export function createFaults(): Faults {
  let waiting: Waiting[] = []
  return {
    add(...faults) {
      if (waiting.length + faults.length > MAX_FAULTS) throw new RangeError(`more than ${MAX_FAULTS} faults`)
      for (const fault of faults)
        waiting.push({
          fault,
          spared: (fault.match?.nth ?? 1) - 1,
          left: fault.times === 0 ? Infinity : (fault.times ?? 1),
        })
    },
    clear: () => void (waiting = []),
    pending: () => waiting.map(({ fault }) => fault),
    take(call) {
      for (const entry of waiting) {
        if (!matches(entry.fault, call)) continue
        if (entry.spared > 0) {
          entry.spared--
          continue
        }
        entry.left--
        if (entry.left <= 0) waiting = waiting.filter((other) => other !== entry)
        return entry.fault
      }
      return undefined
    },
  }
}

function matches({ match = {} }: Fault, call: Call): boolean {
  return (
    (match.upstream === undefined || match.upstream === call.upstream) &&
    (match.method === undefined || match.method.toUpperCase() === call.method) &&
    (match.path === undefined || call.url.includes(match.path))
  )
}

/** A fault as it arrives over HTTP; undefined when anything in it is not what it should be. */
export function parseFault(value: unknown): Fault | undefined {
  return isFault(value) ? value : undefined
}

const FIELDS: Record<string, (value: unknown) => boolean> = {
  do: (value) => FAULT_KINDS.some((kind) => kind === value),
  match: (value) => isRecord(value) && Object.entries(value).every(([name, part]) => MATCH[name]?.(part) === true),
  times: (value) => isWhole(value, 0, 1_000_000),
  after: (value) => typeof value === 'boolean',
  ms: (value) => isWhole(value, 0, 600_000),
  code: (value) => typeof value === 'number' || typeof value === 'string',
  text: (value) => typeof value === 'string',
  retryAfter: (value) => isWhole(value, 0, 86_400),
  status: (value) => isWhole(value, 200, 599),
  body: (value) => typeof value === 'string',
}

const MATCH: Record<string, (value: unknown) => boolean> = {
  upstream: (value) => value === 'supply' || value === 'machine',
  method: isText,
  path: isText,
  nth: (value) => isWhole(value, 1, 1_000_000),
}

const isFault = (value: unknown): value is Fault =>
  isRecord(value) && 'do' in value && Object.entries(value).every(([name, field]) => FIELDS[name]?.(field) === true)
