/** Exit codes, documented in `docs/cli.md`. A number never changes its meaning. */
import type { VendopsError } from '../client/index.ts'
import type { Message } from '../contract/common.ts'

export const EXIT = {
  ok: 0,
  /** The service refused the request, or a check found a problem. */
  failed: 1,
  /** Invalid command line; nothing was sent. */
  usage: 2,
  /** Refused by a guardrail, or waiting for approval. */
  guarded: 3,
  /** The service cannot be reached or did not respond in time. */
  unreachable: 4,
  /** No token, or the token was refused. */
  unauthorized: 5,
  /** A supplier or machine platform failed; a later try may succeed. */
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
  unauthorized: EXIT.unauthorized,
  forbidden: EXIT.unauthorized,
  unreachable: EXIT.unreachable,
  timeout: EXIT.unreachable,
  unreadable: EXIT.unreachable,
  supplier_rejected: EXIT.upstream,
  upstream_unreachable: EXIT.upstream,
  service_unavailable: EXIT.unreachable,
}

export const exitOfError = ({ code }: VendopsError): Exit => BY_CODE[code] ?? EXIT.failed

/** A successful response can carry a guardrail error: the requested action has then not happened yet. */
export const exitOfMessages = (messages: readonly Message[] | undefined): Exit =>
  messages?.some(({ type, code }) => type === 'error' && BY_CODE[code] === EXIT.guarded) ? EXIT.guarded : EXIT.ok

/** Invalid command line; reported together with the usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** An expected failure, with a message and an optional hint about what to do. */
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
