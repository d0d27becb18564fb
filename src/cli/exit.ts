/** What a script learns from a command's exit code. Documented in `docs/cli.md`; numbers never change their meaning. */
import type { VendopsError } from '../client/index.ts'
import type { Message } from '../contract/common.ts'

export const EXIT = {
  ok: 0,
  /** The service said no, or a check found something wrong. */
  failed: 1,
  /** The command line itself is wrong; nothing was sent. */
  usage: 2,
  /** A guardrail refused, or the owner has to approve first. */
  guarded: 3,
  /** No answer: the service is not there, or did not answer in time. */
  unreachable: 4,
  /** The token was refused. */
  unauthorized: 5,
  /** A supplier or machine platform failed; later it may work. */
  upstream: 6,
  /** The person at the terminal did not confirm. */
  declined: 7,
  /** Ctrl-C. */
  interrupted: 130,
} as const

export type Exit = (typeof EXIT)[keyof typeof EXIT]

const BY_CODE: Readonly<Record<string, Exit>> = {
  approval_required: EXIT.guarded,
  approval_rejected: EXIT.guarded,
  hard_no_go: EXIT.guarded,
  kill_switch_engaged: EXIT.guarded,
  guard_unverifiable: EXIT.guarded,
  confirmation_required: EXIT.guarded,
  forbidden: EXIT.unauthorized,
  unreachable: EXIT.unreachable,
  timeout: EXIT.unreachable,
  unreadable: EXIT.unreachable,
  supplier_rejected: EXIT.upstream,
  upstream_unreachable: EXIT.upstream,
  service_unavailable: EXIT.unreachable,
}

/** A 401 is our token; the same code on another status is an upstream's. */
export const exitOfError = (error: VendopsError): Exit =>
  error.code === 'unauthorized' ? EXIT.unauthorized : (BY_CODE[error.code] ?? EXIT.failed)

/** An answer can carry a guardrail's no, too: then what was asked for did not happen yet. */
export const exitOfMessages = (messages: readonly Message[] | undefined): Exit =>
  messages?.some(({ type, code }) => type === 'error' && BY_CODE[code] === EXIT.guarded) ? EXIT.guarded : EXIT.ok

/** The command line is wrong: told with the usage, never with a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Cannot be done, for a reason worth one sentence and a way out. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly exit: Exit
  readonly hint: string | undefined

  constructor(text: string, { exit = EXIT.failed, hint }: { readonly exit?: Exit; readonly hint?: string } = {}) {
    super(text)
    this.exit = exit
    this.hint = hint
  }
}
