/** Faults between the service and an upstream, on demand. Each applies to the next calls that match it. */
import { isRecord, isText, isWhole } from './parse.ts'

export type Upstream = 'supply' | 'machine'

export const FAULT_KINDS = [
  /** The gateway answers instead of the upstream, with HTML or an empty body. */
  'gateway 429',
  'gateway 502',
  'gateway 503',
  'gateway 504',
  /** No response. */
  'timeout',
  /** The connection breaks before the upstream did anything, or after it did everything. */
  'drop before',
  'drop after',
  /** The request is handled, but the response is an HTML page, cut off, half a JSON text, another shape, or endless. */
  'html',
  'truncate',
  'broken json',
  'wrong json',
  'huge',
  /** A documented failure code. */
  'code',
  /** The given `status` and `body`. */
  'reply',
  /** Waits `ms`, then handles the request even if the caller is gone; with `after` it waits after handling it. */
  'slow',
  'offline device',
  /** Only the first half of a list of prices or advice is applied. */
  'partial',
  /** All tokens issued so far become invalid. */
  'expire token',
  /** An unknown device answers with another machine's products. */
  'default list',
] as const

export type FaultKind = (typeof FAULT_KINDS)[number]

export interface Fault {
  readonly match?: {
    readonly upstream?: Upstream
    readonly method?: string
    /** Part of the path with its query. */
    readonly path?: string
    /** Applies from the nth matching call on; 1 is the first. */
    readonly nth?: number
  }
  readonly do: FaultKind
  /** How many calls it applies to; default 1, 0 means all. */
  readonly times?: number
  /** For gateway, timeout, code, reply and slow: the request is handled first. */
  readonly after?: boolean
  readonly ms?: number
  readonly code?: number | string
  readonly text?: string
  /** Seconds, sent with `gateway 429` and code 42900. */
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
  /** The fault for this call, if any; the one added first is preferred. */
  take(call: Call): Fault | undefined
}

const MAX_FAULTS = 1000

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

/** A fault received over HTTP; undefined when it is invalid. */
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
