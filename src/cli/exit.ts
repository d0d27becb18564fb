/** Exit codes, documented in `docs/cli.md`. A number never changes its meaning. */
import type { VendopsError } from '../client/index.ts'
import type { Message } from '../contract/common.ts'

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  guarded: 3,
  unreachable: 4,
  unauthorized: 5,
  upstream: 6,
  declined: 7,
  interrupted: 130,
} as const

export type Exit = (typeof EXIT)[keyof typeof EXIT]

export const EXIT_MEANINGS: Readonly<Record<Exit, string>> = {
  [EXIT.ok]: 'done',
  [EXIT.failed]: 'failed: the service refused the request, or a check found a problem',
  [EXIT.usage]: 'invalid command line; nothing was sent',
  [EXIT.guarded]: 'refused by a rule, or waiting for approval',
  [EXIT.unreachable]: 'the service cannot be reached',
  [EXIT.unauthorized]: 'no token, or the token was refused',
  [EXIT.upstream]: 'a supplier or machine platform failed; try again later',
  [EXIT.declined]: 'not confirmed',
  [EXIT.interrupted]: 'interrupted',
}

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

/** A vendor refused the credentials of a connection; the caller's token is fine. */
export const areCredentialsOfConnection = ({ code, messages }: VendopsError): boolean =>
  code === 'unauthorized' && messages[0]?.params?.['whose'] === 'supplier'

export const exitOfError = (error: VendopsError): Exit =>
  areCredentialsOfConnection(error) ? EXIT.upstream : (BY_CODE[error.code] ?? EXIT.failed)

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
  /** With --json. */
  readonly code: string

  constructor(
    text: string,
    {
      exit = EXIT.failed,
      hint,
      code = 'failed',
    }: { readonly exit?: Exit; readonly hint?: string; readonly code?: string } = {},
  ) {
    super(text)
    this.code = code
    this.exit = exit
    this.hint = hint
  }
}
