/**
 * Runs one operation of the table for a transport: shape of path, query and body (400), then idempotency, guard and handler.
 * REST and MCP both call it, so there is one validation, one envelope and one idempotency.
 */
import type { CallContext, OperationId, RefusedCall, Reply } from '../contract/handlers.ts'
import type { TSchema } from 'typebox'
import { withCurrency } from '../contract/deployment-currency.ts'
import { isDryRun } from '../contract/dry-run.ts'
import { IDEMPOTENCY_KEY_MAX } from '../contract/limits.ts'
import { type Operation, guardOf } from '../contract/operation.ts'
import { type Caller, runAs } from '../kernel/caller.ts'
import { type ErrorMessage, error } from '../kernel/message.ts'
import { hasNul } from '../kernel/nul.ts'
import { type Outcome, type Refusal, catchRefusal, refuseAll } from '../kernel/outcome.ts'
import { approvalLimit } from './access/authorize.ts'
import type { HttpDeps } from './deps.ts'
import { type WorkResult, isIdempotencyKey } from './idempotency.ts'
import type { CurrencyCode } from '../kernel/currency.ts'
import { type Validator, bodyValidator, textValidator } from './parse.ts'
import type { RateLimits } from './access/rate-limit.ts'
import {
  chunksWithEnvelope,
  envelopeHead,
  envelopeText,
  errorReply,
  listWithEnvelope,
  readWholeText,
  withEnvelope,
} from './response.ts'
import type { Content } from './response.ts'
import { withoutMoney } from './access/without-money.ts'

const NO_PROBLEMS: readonly ErrorMessage[] = []
const NO_HEADERS = {}
const NO_BYTES = Buffer.alloc(0)
const unchanged = (messages: readonly ErrorMessage[]) => messages
const acceptAny: Validator = () => NO_PROBLEMS

export interface OperationRequest {
  readonly params: Record<string, unknown>
  readonly query: Record<string, unknown>
  /** Undefined: none was sent. */
  readonly body: unknown
  readonly context: CallContext
  /** Whose rate limit new approvals count towards. */
  readonly caller: string
  /** The limit of its key, where it has one. */
  readonly perMinute?: number | undefined
  /** The idempotency key as it was sent, unchecked. */
  readonly key: unknown
  /** What the transport found wrong with the request besides; it is refused with these, too. */
  readonly problems?: readonly ErrorMessage[]
  /** Refusals in the words of the transport; without it, in those of REST. */
  readonly reword?: (messages: readonly ErrorMessage[]) => readonly ErrorMessage[]
  /** What the key belongs to and is bound to; read only when there is a key. */
  readonly keyScope: () => { readonly method: string; readonly path: string; readonly raw: Buffer | undefined }
}

export interface OperationResult extends WorkResult {
  /** The stored reply of the first request with this key. */
  readonly isReplayed?: true
}

export type Run = (request: OperationRequest) => Promise<OperationResult>

/** Names the fields that an empty body would lack, such as `confirm`, rather than only the body. */
function missingBody(validate: Validator): readonly ErrorMessage[] {
  const problems = validate({})
  return problems.length > 0 ? problems : [error('missing', 'A JSON body is required', '$')]
}

/** Operations with `recordsRefusals` write an event for every attempt, also for one refused before the handler runs. */
export async function recordRefusal(
  { refusalRecorders }: Pick<HttpDeps, 'refusalRecorders'>,
  id: OperationId | undefined,
  { params: given, context }: Pick<OperationRequest, 'params' | 'context'>,
  refusal: Refusal,
): Promise<void> {
  const recorders: Partial<Record<OperationId, (call: RefusedCall) => Promise<void>>> = refusalRecorders
  const record = id && recorders[id]
  if (!record) return
  // PostgreSQL stores no NUL, and a path may hold one.
  const params = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, String(value).replaceAll('\0', '')]),
  )
  await runAs(context, () => record({ params, refusal, context }))
}

/** An owner may change the currency while nothing is stored in it. */
function validatorByCurrency(body: TSchema, deps: Pick<HttpDeps, 'currency'>): Validator {
  const known = new Map<CurrencyCode, Validator>()
  return (value) => {
    const { currency } = deps
    const validate = known.get(currency) ?? bodyValidator(withCurrency(body, currency))
    known.set(currency, validate)
    return validate(value)
  }
}

export function operationRunner(deps: HttpDeps, id: OperationId, operation: Operation, limits: RateLimits): Run {
  const checkParams = operation.params ? textValidator(operation.params) : acceptAny
  const checkQuery = operation.query ? textValidator(operation.query) : acceptAny
  const checkBody = operation.body ? validatorByCurrency(operation.body, deps) : acceptAny
  const handler = deps.handlers[id] as unknown as (call: unknown) => Promise<Outcome<RawReply>>
  const takesKey = operation.write !== undefined
  // A read creates no approval.
  const callerOf = (context: CallContext, { caller, perMinute }: OperationRequest, writeId?: string): Caller =>
    takesKey
      ? {
          ...context,
          approvalLimit: approvalLimit(limits, caller, perMinute),
          ...(writeId !== undefined && { writeId }),
        }
      : context
  const handle = async (
    call: { readonly context: CallContext },
    request: OperationRequest,
    writeId?: string,
  ): Promise<WorkResult> => {
    const outcome = await runAs(callerOf(call.context, request, writeId), () => catchRefusal(() => handler(call)))
    const reply = toResult(outcome, request)
    return call.context.by?.role === 'driver' ? leaveMoneyOut(reply) : reply
  }
  const guard = guardOf(operation)
  const findExemption = (deps.guardExemptions as Partial<Record<OperationId, (call: unknown) => Promise<boolean>>>)[id]
  // In the body it would be an unknown member and be ignored, and the call would not be a dry run.
  const hasDryRun = Object.hasOwn(operation.query?.properties ?? {}, 'dry_run')
  const usual = envelopeText('success', operation.capabilities, operation.paymentHandlers)
  const usualHead = envelopeHead(usual)

  /** The body is asked for only where there is no text: a reply may have to make it first. */
  function contentOf(reply: RawReply): Content {
    if (reply.text !== undefined) return reply.text
    if (operation.rawEnvelope) return JSON.stringify(reply.body)
    const { capabilities } = reply
    const ucp = capabilities ? envelopeText('success', capabilities, operation.paymentHandlers) : usual
    if (reply.chunks) return chunksWithEnvelope(capabilities ? envelopeHead(ucp) : usualHead, reply.chunks)
    if (reply.long) return listWithEnvelope(ucp, reply.long.member, reply.long.chunks)
    return withEnvelope(ucp, reply.body)
  }

  function toResult(outcome: Outcome<RawReply>, { reword = unchanged }: OperationRequest): WorkResult {
    if (!outcome.ok) {
      const { refusal } = outcome
      const reply = errorReply({ ...refusal, messages: reword(refusal.messages) }, operation.capabilities)
      return refusal.unstored ? { ...reply, unstored: true } : reply
    }
    const { status = operation.status, headers = NO_HEADERS, unstored } = outcome.value
    const body = contentOf(outcome.value)
    return unstored ? { status, headers, body, unstored } : { status, headers, body }
  }

  function findProblems(params: object, query: object, body: unknown, key: unknown): readonly ErrorMessage[] {
    const problems: ErrorMessage[] = [...checkParams(params), ...checkQuery(query)]
    if ((operation.params && hasNul(params)) || (operation.query && hasNul(query)))
      problems.push(error('invalid', 'NUL characters are not allowed', '$'))
    if (operation.body) problems.push(...(body === undefined ? missingBody(checkBody) : checkBody(body)))
    if (hasDryRun && typeof body === 'object' && body !== null && Object.hasOwn(body, 'dry_run'))
      problems.push(error('invalid', 'dry_run must be stated once, as a parameter of its own', '$.dry_run'))
    if (takesKey && key !== undefined && !isIdempotencyKey(key))
      problems.push(error('invalid', `Idempotency-Key must have 1 to ${IDEMPOTENCY_KEY_MAX} characters`, '$'))
    return problems
  }
  const hasNothingToCheck = !operation.params && !operation.query && !operation.body && !takesKey

  /** The event is the same whichever transport was used. */
  async function refuseEarly(request: OperationRequest, refusal: Refusal, shown = refusal): Promise<WorkResult> {
    if (!isDryRun(request.query)) await recordRefusal(deps, id, request, refusal)
    return errorReply(shown, operation.capabilities)
  }

  function refuseProblems(request: OperationRequest, found: readonly ErrorMessage[]): Promise<WorkResult> {
    const { problems = NO_PROBLEMS, reword = unchanged } = request
    const shown = [...reword(found), ...problems]
    return refuseEarly(request, refuseAll([...found, ...problems]).refusal, refuseAll(shown).refusal)
  }

  function callOf({ params, query, body: given, context, key, problems = NO_PROBLEMS }: OperationRequest) {
    const body: unknown = given ?? (operation.bodyOptional ? {} : given)
    const found = hasNothingToCheck ? NO_PROBLEMS : findProblems(params, query, body, key)
    return { call: { params, query, body, context }, found, isValid: found.length === 0 && problems.length === 0 }
  }

  /** A read has neither a guard nor a key. */
  function runRead(request: OperationRequest): Promise<OperationResult> {
    const { call, found, isValid } = callOf(request)
    return isValid ? handle(call, request) : refuseProblems(request, found)
  }

  async function runWrite(request: OperationRequest): Promise<OperationResult> {
    const { call, found, isValid } = callOf(request)
    const work = async (writeId?: string): Promise<WorkResult> => {
      if (!isValid) return refuseProblems(request, found)
      const denied = guard && (await deps.checkGuard(guard))
      if (denied && !(await findExemption?.(call))) return refuseEarly(request, denied)
      return handle(call, request, writeId)
    }
    const { key } = request
    // A dry run neither reads nor stores a reply.
    if (!isIdempotencyKey(key) || isDryRun(request.query) || operation.write?.urgent) return work()
    const { method, path, raw = NO_BYTES } = request.keyScope()
    const keyId = request.context.by?.keyId
    const result = await deps.idempotency.runOnce({ method, path, key, raw, keyId }, work)
    if (result.kind === 'refused') return refuseEarly(request, result.refusal)
    return result.kind === 'replayed' ? { ...result.reply, isReplayed: true } : result.reply
  }

  return takesKey ? runWrite : runRead
}

async function leaveMoneyOut(reply: WorkResult): Promise<WorkResult> {
  const text = await readWholeText(reply.body)
  // A reply to a conditional request has no body.
  return text === '' ? reply : { ...reply, body: JSON.stringify(withoutMoney(JSON.parse(text))) }
}

/** `Reply<K>` of the contract, without the type of its body. */
interface RawReply extends Omit<Reply<OperationId>, 'body'> {
  readonly body: object
}
