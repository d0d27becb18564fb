/** How the operator calls the service: as anybody else, through the same runner. The HTTP layer provides it. */
import type { Identity } from '../../kernel/person.ts'
import type { StepRequest } from './shift.ts'

export interface CallReply {
  readonly status: number
  /** Of the call of a tool: what an agent is told. */
  readonly text?: string
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are read member by member, as a caller reads them
  readonly body: any
}

/** @param key the idempotency key of a write */
export type CallAs = (by: Identity, request: StepRequest, key?: string) => Promise<CallReply>

export interface ToolDescription {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly schema: object
}

/** What a model in the place of the built-in operator may call: the tools of the preset `operator`. */
export interface OperatorTools {
  readonly list: () => readonly ToolDescription[]
  /** Undefined: there is no such tool. */
  readonly toRequest: (
    name: string,
    args: Readonly<Record<string, unknown>>,
  ) => { readonly request: StepRequest; readonly isWrite: boolean } | undefined
}
