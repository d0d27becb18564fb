/**
 * The caller of the current request. The HTTP layer sets it and the functions that write rows read it, so that nothing in
 * between has to pass it on. Jobs have no caller.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Refusal } from './outcome.ts'
import { type Identity, isTokenHolder, TOKEN_HOLDER } from './person.ts'

export interface Caller {
  readonly requestId: string
  /** Profile of the calling platform (`UCP-Agent`): recorded, never verified. */
  readonly agent?: string
  /** The person that the credentials prove; undefined for a job. */
  readonly by?: Identity
  /** Which write with an Idempotency-Key this is: the same when it runs again because the process died. */
  readonly writeId?: string
  /** Undefined: unlimited. */
  readonly approvalLimit?: ApprovalLimit
}

/** How many approvals a caller may create. */
export interface ApprovalLimit {
  /** Why it may not create one now; undefined when it may. */
  refusal(): Refusal | undefined
  charge(): void
}

const callers = new AsyncLocalStorage<Caller>()

export const runAs = <T>(caller: Caller, work: () => T): T => callers.run(caller, work)

/** The name that limits per person or agent use; undefined for jobs. The token of the deployment has a name of its own. */
export const callerKey = (): string | undefined => {
  const caller = callers.getStore()
  return caller && (caller.by ?? TOKEN_HOLDER).name
}

export const currentCaller = (): Caller | undefined => callers.getStore()

/** Cost and profit are for the owner and the operator (docs/contract.md, 5.8). Jobs have no caller and answer nobody. */
export function mayReadCosts(): boolean {
  const role = currentCaller()?.by?.role
  return role === undefined || role === 'owner' || role === 'operator'
}

/**
 * How a text names the caller: by the name of its key. The operator token may be shared, so its holder is named as it
 * introduces itself.
 */
export function callerName(): string {
  const { by, agent } = currentCaller() ?? {}
  return by === undefined || isTokenHolder(by) ? (agent ?? 'operator') : by.name
}
