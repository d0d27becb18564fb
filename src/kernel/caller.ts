/**
 * The caller of the current request. The HTTP layer sets it and the functions that write rows read it, so that nothing in
 * between has to pass it on. Jobs have no caller.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Refusal } from './outcome.ts'

export interface Caller {
  readonly requestId: string
  /** Profile of the calling platform (`UCP-Agent`): recorded, never verified. */
  readonly agent?: string
  /** The person or key the credentials belong to, where they say. */
  readonly by?: string
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
export function callerKey(): string | undefined {
  const caller = callers.getStore()
  return caller && (caller.by ?? TOKEN_NAME)
}

const TOKEN_NAME = 'operator'

export const currentCaller = (): Caller | undefined => callers.getStore()
