/** One row of the interface (section 4), as data. */
import type { TObject, TSchema } from 'typebox'
import type { ErrorCode } from '../kernel/message.ts'
import type { CapabilityName } from './capabilities.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export const TAGS = [
  'Discovery',
  'Catalog',
  'Locations',
  'Checkout',
  'Orders',
  'Pricing',
  'Replenishment',
  'Approvals',
  'Events',
  'Guardrails',
  'Sign-in',
] as const
export type Tag = (typeof TAGS)[number]

export interface Operation {
  readonly method: Method
  /** With `{param}`, under the versioned prefix unless `root`. */
  readonly path: string
  /** Of the contract; our own operations name the section they stand beside. */
  readonly section: string
  readonly summary: string
  readonly tag: Tag
  readonly params?: TObject
  readonly query?: TObject
  readonly body?: TObject
  /** An absent body is read as `{}`. */
  readonly bodyOptional?: true
  readonly status: 200 | 201
  readonly returns: TSchema
  /** Active in every answer, and those that may come in addition. */
  readonly capabilities: readonly CapabilityName[]
  readonly extraCapabilities?: readonly CapabilityName[]
  /** No token needed. */
  readonly open?: true
  /** At the host root. */
  readonly root?: true
  /** A POST that changes nothing: no idempotency record, any number of times. */
  readonly safe?: true
  /** The answer is its own `ucp`; none is added. */
  readonly ownUcp?: true
  /** States `payment_handlers` in the envelope. */
  readonly paymentHandlers?: true
  /** What it may refuse with, or say in a message, beyond GENERAL_CODES. */
  readonly codes: readonly ErrorCode[]
}

/** What any operation may refuse with; idempotency_mismatch on writes, unauthorized unless open. */
export const GENERAL_CODES = [
  'missing',
  'invalid',
  'unauthorized',
  'request_too_large',
  'rate_limited',
  'internal',
] as const satisfies readonly ErrorCode[]

/** Writes keep their answer under an Idempotency-Key. */
export const isWrite = (operation: Operation): boolean => operation.method !== 'GET' && !operation.safe
