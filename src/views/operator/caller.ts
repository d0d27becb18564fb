/** How the operator calls the service: as anybody else, through the same runner. The HTTP layer provides it. */
import type { Identity } from '../../kernel/person.ts'
import type { StepRequest } from './shift.ts'

export interface CallReply {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are read member by member, as a caller reads them
  readonly body: any
}

/** @param key the idempotency key of a write */
export type CallAs = (by: Identity, request: StepRequest, key?: string) => Promise<CallReply>
