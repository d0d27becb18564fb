/** One row of the interface, as data. */
import type { TObject, TSchema } from 'typebox'
import type { ErrorCode } from '../kernel/message.ts'
import type { CapabilityName } from './capabilities.ts'
import type { Roles } from './roles.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export const TAGS = [
  'Discovery',
  'Catalog',
  'Locations',
  'Checkout',
  'Orders',
  'Pricing',
  'Replenishment',
  'Store room',
  'Approvals',
  'Operator',
  'Events',
  'Guardrails',
  'Settings',
  'Sign-in',
  'People',
] as const
export type Tag = (typeof TAGS)[number]

/**
 * The check before a guarded write, which is one that sends something to a supplier or a machine. `stop` refuses it with
 * `kill_switch_engaged` while the kill switch is engaged; `rules` also with `guard_unverifiable` while the rules cannot
 * be read.
 */
export type Guard = 'stop' | 'rules'

const GUARD_CODES: Readonly<Record<Guard, readonly ErrorCode[]>> = {
  stop: ['kill_switch_engaged'],
  rules: ['kill_switch_engaged', 'guard_unverifiable'],
}

/** What a write declares about itself; the HTTP layer enforces it before the handler runs. */
export interface WriteRules {
  /** A guarded write says so here and nowhere else. */
  readonly guard: Guard | 'none'
  /**
   * A rate limit besides that of all writes: `new` for a write that adds to what the owner reads. New approvals count
   * towards it where they are created, whichever operation creates them.
   */
  readonly limit?: 'new'
  /**
   * Runs at once, whatever its Idempotency-Key: doing it twice changes nothing, and the claim of the key would have to wait
   * for other writes.
   */
  readonly urgent?: true
}

interface Row {
  /** With `{param}`, under the versioned prefix unless `root`. */
  readonly path: string
  /** Of the contract; our own operations name the section they stand beside. */
  readonly section: string
  readonly summary: string
  readonly tag: Tag
  /** Who may call it; checked before anything of the request is read. */
  readonly roles: Roles
  /** The holder of the operator token may call it, too, until the first owner key exists. */
  readonly tokenUntilOwner?: true
  readonly params?: TObject
  readonly query?: TObject
  readonly body?: TObject
  /** The body is a form with one file (multipart/form-data), not JSON. */
  readonly upload?: true
  /** An absent body is read as `{}`. */
  readonly bodyOptional?: true
  readonly status: 200 | 201 | 202
  readonly returns: TSchema
  /** Active in every answer, and those that may come in addition. */
  readonly capabilities: readonly CapabilityName[]
  readonly extraCapabilities?: readonly CapabilityName[]
  /** At the host root. */
  readonly hostRoot?: true
  /** The answer is its own `ucp`; none is added. */
  readonly rawEnvelope?: true
  /** States `payment_handlers` in the envelope. */
  readonly paymentHandlers?: true
  /** Every attempt leaves an event: what is refused before the handler runs is recorded by the capability, too. */
  readonly recordsRefusals?: true
  /** What it may refuse with, or say in a message, beyond `generalCodes`. */
  readonly codes: readonly ErrorCode[]
  /** Codes it also answers with in an error envelope under status 200: nothing could be made of the request. */
  readonly errorsWithStatus200?: readonly ErrorCode[]
  /** Where a code here has another status than in `status.ts`. */
  readonly statuses?: Readonly<Partial<Record<ErrorCode, number>>>
}

interface Read extends Row {
  readonly method: 'GET'
  readonly write?: undefined
  readonly safe?: undefined
  readonly public?: true
}

/** A POST that changes nothing: no idempotency record, any number of times. */
interface SafePost extends Row {
  readonly method: 'POST'
  readonly safe: true
  readonly write?: undefined
  readonly public?: undefined
}

/** A POST that needs no token: signing in and out, which is a matter of the moment. */
interface PublicPost extends Row {
  readonly method: 'POST'
  readonly public: true
  readonly write?: undefined
  readonly safe?: undefined
}

/** Keeps its answer under an Idempotency-Key. */
interface Write extends Row {
  readonly method: Exclude<Method, 'GET'>
  readonly write: WriteRules
  readonly safe?: undefined
  readonly public?: undefined
}

/** A row that is neither a read nor marked `safe` or `public` does not compile without `write`. */
export type Operation = Read | SafePost | PublicPost | Write

type Shared = Pick<Row, 'section' | 'tag' | 'capabilities' | 'paymentHandlers'>
type StatedOnce = keyof Shared | 'status' | 'codes'
type Stated<O> = O extends Operation ? Omit<O, StatedOnce> & Partial<Pick<O, StatedOnce>> : never
/** The rows of one file, without what they share. */
export type OperationRows = Readonly<Record<string, Stated<Operation>>>
type Filled<S, R> = { readonly [K in keyof R]: Omit<S & typeof USUAL, keyof R[K]> & R[K] }

/** Of a row that does not say otherwise. */
const USUAL: { readonly status: 200; readonly codes: readonly ErrorCode[] } = { status: 200, codes: [] }

/** Rows of one file: what most of them have in common is stated once. */
export function operationRows<S extends Shared, R extends OperationRows>(shared: S, rows: R): Filled<S, R> {
  const filled = Object.entries(rows).map(([id, row]) => [id, { ...USUAL, ...shared, ...row }])
  return Object.fromEntries(filled) as Filled<S, R>
}

/** Undefined for a row without a guard. */
export const guardOf = ({ write }: Operation): Guard | undefined =>
  write === undefined || write.guard === 'none' ? undefined : write.guard

/** What any operation of this kind may refuse with: credentials, role, origin, shape, guard, rate, or no database. */
export function generalCodes(operation: Operation): readonly ErrorCode[] {
  const guard = guardOf(operation)
  const read = operation.params ?? operation.query ?? operation.body
  return [
    ...(read ? (['missing'] as const) : []),
    // Also where no body is wanted: one that cannot be read is refused all the same.
    ...(read || operation.method !== 'GET' ? (['invalid'] as const) : []),
    ...(operation.public ? [] : (['unauthorized'] as const)),
    ...(operation.public ? [] : (['forbidden'] as const)),
    ...(guard ? GUARD_CODES[guard] : []),
    ...(operation.write && !operation.write.urgent
      ? (['idempotency_mismatch', 'idempotency_in_progress'] as const)
      : []),
    'rate_limited',
    'service_unavailable',
    'internal',
  ]
}
