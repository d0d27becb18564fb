/** Faults between the service and an upstream, on demand. Each applies to the next calls that match it. */
import { type Static, Type } from 'typebox'
import { integer, oneOf, text, validator } from '../../lib/validator.ts'
import { isText } from './parse.ts'

const UPSTREAMS = ['supply', 'machine'] as const
export type Upstream = (typeof UPSTREAMS)[number]

const FAULT_KINDS = [
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

const optional = Type.Optional
const strict = { additionalProperties: false }

const Fault = Type.Object(
  {
    match: optional(
      Type.Object(
        {
          upstream: optional(oneOf(UPSTREAMS)),
          method: optional(text('text', isText)),
          /** Part of the path with its query. */
          path: optional(text('text', isText)),
          /** Applies from the nth matching call on; 1 is the first. */
          nth: optional(integer(1, 1_000_000)),
        },
        strict,
      ),
    ),
    do: oneOf(FAULT_KINDS),
    /** How many calls it applies to; default 1, 0 means all. */
    times: optional(integer(0, 1_000_000)),
    /** For gateway, timeout, code, reply and slow: the request is handled first. */
    after: optional(Type.Boolean()),
    ms: optional(integer(0, 600_000)),
    code: optional(Type.Union([Type.Number(), Type.String()])),
    text: optional(Type.String()),
    /** Seconds, sent with `gateway 429` and code 42900. */
    retryAfter: optional(integer(0, 86_400)),
    status: optional(integer(200, 599)),
    body: optional(Type.String()),
  },
  strict,
)
export type Fault = Readonly<Static<typeof Fault>>

interface Call {
  readonly upstream: Upstream
  readonly method: string
  readonly url: string
}

export type Faults = ReturnType<typeof createFaults>

const MAX_FAULTS = 1000

interface Waiting {
  readonly fault: Fault
  spared: number
  left: number
}

export function createFaults() {
  let waiting: Waiting[] = []
  return {
    add(...faults: readonly Fault[]): void {
      if (waiting.length + faults.length > MAX_FAULTS) throw new RangeError(`more than ${MAX_FAULTS} faults`)
      for (const fault of faults)
        waiting.push({
          fault,
          spared: (fault.match?.nth ?? 1) - 1,
          left: fault.times === 0 ? Infinity : (fault.times ?? 1),
        })
    },
    clear: () => void (waiting = []),
    pending: (): readonly Fault[] => waiting.map(({ fault }) => fault),
    /** The fault for this call, if any; the one added first is preferred. */
    take(call: Call): Fault | undefined {
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

const matches = ({ match = {} }: Fault, call: Call): boolean =>
  (match.upstream === undefined || match.upstream === call.upstream) &&
  (match.method === undefined || match.method.toUpperCase() === call.method) &&
  (match.path === undefined || call.url.includes(match.path))

const checkFault = validator(Fault)

/** A fault received over HTTP; undefined when it is invalid. */
export function parseFault(value: unknown): Fault | undefined {
  const checked = checkFault(value)
  return checked.ok ? checked.value : undefined
}
