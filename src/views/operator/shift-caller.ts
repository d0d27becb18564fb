/**
 * The caller of a shift: reads and acts like any other, and keeps the journal. What is sent is in the journal before it is sent,
 * with the exact request, so that whoever takes the shift up sends the same again under the same key.
 */
import type { Autonomy } from '../../contract/shapes/guardrails.ts'
import type { Context } from '../../context.ts'
import type { TextParams } from '../../kernel/message.ts'
import type { Identity } from '../../kernel/person.ts'
import { StoreUnavailable } from '../../store/unavailable.ts'
import { readAutonomy } from '../../rules/guardrails/index.ts'
import { findPersonByName } from '../../rules/people/index.ts'
import type { StepCode } from '../../texts/shift/en.ts'
import type { CallAs, CallReply } from './caller.ts'
import { type NewEntry, addEntry } from './model/records.ts'
import { appendStep, listSteps } from './records.ts'
import {
  type NewStep,
  type Reference,
  type Shift,
  type Step,
  type StepRequest,
  OPERATOR_NAME,
  unfinished,
  writeKey,
} from './shift.ts'

/** Ends the shift now. */
export class ShiftEnd extends Error {
  readonly status: 'stopped' | 'failed'
  readonly code: StepCode
  readonly params: TextParams

  constructor(status: 'stopped' | 'failed', code: StepCode, params: TextParams = {}) {
    super(code)
    this.status = status
    this.code = code
    this.params = params
  }
}

/** Another process works on this shift, or a write of it still runs: this one lets go. */
export class ShiftTaken extends Error {}

/** What a reply means for the journal. */
export interface StepResult {
  readonly code: StepCode
  readonly outcome: Step['outcome']
  readonly params: TextParams
  readonly reference?: Reference | undefined
}

export type DescribeReply = (reply: CallReply, request: StepRequest, begun: TextParams) => StepResult

interface Act {
  readonly step: string
  /** While it is not known what came of it. */
  readonly begun: StepCode
  readonly params: TextParams
  readonly request: StepRequest
  /** What a dry run says instead. */
  readonly would: StepResult
}

export const firstMessage = ({ body }: CallReply): { readonly code: string; readonly content: string } => {
  const [first] = (body?.messages ?? []) as readonly { code?: string; content?: string }[]
  return { code: first?.code ?? 'unknown', content: first?.content ?? 'no reason given' }
}

export type ShiftCaller = Awaited<ReturnType<typeof openShiftCaller>>

export async function openShiftCaller(
  ctx: Context,
  callAs: CallAs,
  shift: Shift,
  describerOf: (request: StepRequest) => DescribeReply | undefined,
) {
  const journal: Step[] = await listSteps(ctx.store.db, shift.id)
  const by = await findIdentity(ctx, shift)
  let begunWith: string | undefined

  /** @param entry what the model was told or said by this step, written with it */
  async function append(step: NewStep, entry?: NewEntry): Promise<Step> {
    const n = journal.length
    const written = await ctx.store.transaction(async (tx) => {
      const row = await appendStep(ctx, tx, shift.id, n, step)
      if (!row || (entry && !(await addEntry(ctx, tx, shift.id, entry)))) throw new ShiftTaken()
      return row
    })
    journal.push(written)
    return written
  }

  const unavailable = ({ status, body }: CallReply): StoreUnavailable | undefined => {
    const { code, content } = firstMessage({ status, body })
    return status === 503 && code === 'service_unavailable' ? new StoreUnavailable(content) : undefined
  }

  /** A read whose refusal is an answer, too. */
  async function tryRead(request: StepRequest): Promise<CallReply> {
    const reply = await callAs(by, request)
    const failure = unavailable(reply)
    if (failure) throw failure
    return reply
  }

  const ended = (step: string): Step | undefined =>
    journal.find((entry) => entry.step === step && entry.outcome !== 'begun')

  /** A read that fails ends the shift: nothing is decided on half of the facts. */
  async function read(request: StepRequest): Promise<CallReply['body']> {
    const reply = await tryRead(request)
    if (reply.status < 300) return reply.body
    const { code, content } = firstMessage(reply)
    if (code === 'guard_unverifiable') throw new ShiftEnd('failed', 'rules_unreadable')
    throw new ShiftEnd('failed', 'failed', { reason: `${request.operation}: ${content}` })
  }

  /** Before every write. */
  async function requireAllowed(): Promise<Autonomy> {
    const rules = await read({ operation: 'getGuardrails' })
    if (rules.emergency_stop.engaged) throw new ShiftEnd('stopped', 'stopped')
    const autonomy = await readAutonomy(ctx)
    if (!autonomy.ok) throw new ShiftEnd('failed', 'rules_unreadable')
    const { restock, prices, swaps } = autonomy.value
    const levels = `${restock} ${prices} ${swaps}`
    // The owner changed it meanwhile: what was decided by the old word is not done.
    if ((begunWith ??= levels) !== levels) throw new ShiftEnd('stopped', 'switched')
    return autonomy.value
  }

  async function send(step: string, request: StepRequest, begun: TextParams): Promise<Step> {
    const reply = await callAs(by, request, writeKey(shift, step))
    const { code, content } = reply.status < 300 ? { code: '', content: '' } : firstMessage(reply)
    if (code === 'service_unavailable') throw new StoreUnavailable(content)
    if (code === 'idempotency_in_progress') throw new ShiftTaken()
    const describe = describerOf(request)
    if (!describe) throw new Error(`nothing is known about ${request.operation}`)
    const { call } = request.tool ?? {}
    const entry = call === undefined ? undefined : ({ kind: 'result', call, content: reply.text ?? '' } as const)
    const written = await append({ step, ...describe(reply, request, begun) }, entry)
    if (code === 'kill_switch_engaged' || reply.body?.status === 'blocked') throw new ShiftEnd('stopped', 'stopped')
    if (code === 'guard_unverifiable') throw new ShiftEnd('failed', 'rules_unreadable')
    return written
  }

  /** Once: what the journal knows the end of is not sent again. */
  async function act({ step, begun, params, request, would }: Act): Promise<Step> {
    const known = ended(step)
    if (known) return known
    if (shift.isDryRun) return append({ step, ...would, outcome: 'would' })
    await requireAllowed()
    await append({ step, code: begun, params, outcome: 'begun', request })
    return send(step, request, params)
  }

  /** Something seen or left alone. */
  async function note(
    step: string,
    result: Omit<StepResult, 'outcome'> & { readonly outcome?: Step['outcome'] },
  ): Promise<Step> {
    return ended(step) ?? append({ step, outcome: 'noted', ...result })
  }

  /** What an earlier process began: the same request again, under the same key. */
  async function finishBegun(): Promise<void> {
    for (const { step, request, params } of unfinished(journal)) {
      if (!request) continue
      await requireAllowed()
      await send(step, request, params)
    }
  }

  return {
    shift,
    journal: journal as readonly Step[],
    ctx,
    append,
    read,
    tryRead,
    act,
    note,
    ended,
    finishBegun,
    requireAllowed,
  }
}

/** The key of the operator; the owner may revoke it like any other. */
async function findIdentity({ store, clock }: Pick<Context, 'store' | 'clock'>, shift: Shift): Promise<Identity> {
  const person = await findPersonByName(store.db, OPERATOR_NAME)
  // It only reads, and makes no key.
  if (!person && shift.isDryRun) return { name: OPERATOR_NAME, role: 'operator', keyId: OPERATOR_NAME }
  const isValid = person && person.role === 'operator' && (person.expiresAt ?? Number.POSITIVE_INFINITY) > clock.now()
  if (!isValid) throw new ShiftEnd('failed', 'failed', { reason: `the key ${OPERATOR_NAME} was revoked` })
  return { name: person.name, role: person.role, keyId: person.id }
}
