/**
 * What any adapter must hold to, whatever its vendor is like. A kit speaks only our words: the harness of an adapter
 * knows how to bring its upstream into each trouble. The suites are in supply-adapter.kit.ts and machine-adapter.kit.ts.
 */
import { expect } from 'vitest'
import type { Result, FailureReason, UnreadableRow, SendPermit } from '../../src/vendors/contract.ts'
import type { Vendor } from '../../src/vendors/registration.ts'

/** Troubles an upstream can be in, each with the one reason its calls must then give. */
export const TROUBLES = {
  /** It refuses our credentials. */
  refuses_credentials: 'unauthorized',
  /** It understands and says no to a write. */
  says_no: 'rejected',
  /** It asks us to slow down. */
  slows_us_down: 'limited',
  /** It, or a gateway before it, is broken. */
  breaks: 'unknown',
  /** It answers something else than was agreed. */
  garbles: 'unknown',
  /** It acts, but its reply never arrives. */
  loses_reply: 'unknown',
  /** No connection can be made. */
  unreachable: 'unsent',
} as const satisfies Record<string, FailureReason>

export type Trouble = keyof typeof TROUBLES

/** Troubles any call can meet, reads too. */
const READ_TROUBLES = [
  'refuses_credentials',
  'slows_us_down',
  'breaks',
  'garbles',
  'loses_reply',
  'unreachable',
] as const satisfies readonly Trouble[]

export const ALL_TROUBLES = [...READ_TROUBLES, 'says_no'] as const satisfies readonly Trouble[]

/** Troubles after which a write is certain not to have happened. */
export const NOTHING_HAPPENED: readonly Trouble[] = ['refuses_credentials', 'says_no', 'unreachable']

export interface Harness<V extends Vendor> {
  readonly vendor: V
  /** What must never be seen in a text: credentials, host names. */
  readonly hidden: readonly string[]
  /** From now on every call meets this trouble. */
  trouble(trouble: Trouble): Promise<void> | void
  /** All is well again. */
  heal(): Promise<void> | void
  /** How often a write reached the upstream. */
  writesReceived(): number
  close(): Promise<void>
}

/** Tests of what an adapter may have or not have. */
export const testsIf = (hasIt: boolean, define: () => void): void => {
  if (hasIt) define()
}

export function expectValue<T>(answer: Result<T>): T {
  if (!answer.ok) throw new Error(`expected an answer, got ${answer.reason}: ${answer.message} (${answer.raw ?? ''})`)
  return answer.value
}

/** A failure as the contract of adapters wants it: the reason, `unauthorized` exactly where it belongs, a text fit for callers. */
export function expectFailure(answer: Result<unknown>, reason: FailureReason, hidden: readonly string[] = []): void {
  if (answer.ok) throw new Error(`expected ${reason}, got an answer`)
  expect(answer.reason).toBe(reason)
  expect(answer.unauthorized).toBe(reason === 'unauthorized' ? true : undefined)
  expect(answer.message).toMatch(/^[^\p{Cc}]{1,300}$/u)
  for (const word of hidden) expect(`${answer.message} ${answer.raw ?? ''}`).not.toContain(word)
}

/** A permit that is always granted, for writes whose permit is not what a test is about. */
export const granted: SendPermit = (write) => {
  write()
  return Promise.resolve(undefined)
}

/** The emergency stop was pulled. */
export const denied: SendPermit = () =>
  Promise.resolve({ code: 'kill_switch_engaged', message: 'the emergency stop is on' })

/**
 * The write reaches the upstream only when, and not before, the permit has called `write`. One that takes several
 * requests asks before each.
 */
export async function expectPermitAsked(
  harness: Pick<Harness<Vendor>, 'writesReceived'>,
  send: (permit: SendPermit) => Promise<Result<unknown>>,
): Promise<void> {
  const asked = Promise.withResolvers<() => void>()
  const written = Promise.withResolvers<undefined>()
  let asks = 0
  const answer = send((write) => {
    asks += 1
    if (asks > 1) return granted(write)
    asked.resolve(write)
    return written.promise
  })
  const write = await Promise.race([asked.promise, answer.then(() => undefined)])
  if (!write) throw new Error('the write was sent without asking its permit')
  // Long enough for bytes that were already on their way.
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(harness.writesReceived(), 'nothing arrives while the permit is being decided').toBe(0)
  write()
  written.resolve(undefined)
  expectValue(await answer)
  expect(harness.writesReceived()).toBe(asks)
}

export const VENDOR_SKU = /^[^:\s]+$/

export function expectFen(amount: number): void {
  expect(Number.isSafeInteger(amount) && amount >= 0, `${amount} is an amount in whole fen`).toBe(true)
}

export function expectUnique(keys: readonly string[]): void {
  expect(new Set(keys).size).toBe(keys.length)
}

/** Rows of each listing in the tests of unreadable rows: one bad among them is tolerated, three are not. */
export const ROWS = 10

/** Unreadable rows as the contract of adapters wants them: named, with a reason that holds no field name of the vendor. */
export function expectUnreadable(
  answer: Result<unknown>,
  ids: readonly string[],
  vendorFields: readonly string[],
): void {
  const unreadable: readonly UnreadableRow[] = (answer.ok && answer.unreadable) || []
  expect(unreadable.map(({ id }) => id)).toEqual(ids)
  for (const { problem } of unreadable) {
    // A list's own cell and heading may follow: who brought the list looks for them.
    const [said = '', where] = problem.split(': ')
    expect(said).toMatch(/^its [a-z ]+ cannot be read$/)
    if (where !== undefined) expect(where).toMatch(/^".*" in the column ".*"$/)
    for (const field of vendorFields) expect(said).not.toContain(field)
  }
}
