/** One shift from beginning to end, or from where an earlier process left it. */
import type { Context } from '../../context.ts'
import { listDecisions } from '../../rules/approvals/index.ts'
import { addServiceKey, listPeople } from '../../rules/people/index.ts'
import { recordEvent } from '../../record/events/index.ts'
import { money } from '../../kernel/currency.ts'
import type { ModelSettings } from '../../config/operator-model.ts'
import { StoreUnavailable } from '../../store/unavailable.ts'
import type { CallAs, OperatorTools } from './caller.ts'
import { type ShiftCaller, openShiftCaller, ShiftEnd, ShiftTaken } from './shift-caller.ts'
import type { Reason } from './model/reasons.ts'
import { DESCRIBE_MODEL_REPLY } from './model/describe-reply.ts'
import { appendStep, endShift, listSteps } from './records.ts'
import { type Shift, type StepRequest, figuresOf, OPERATOR_NAME } from './shift.ts'
import { proposeSwaps, tryPrices } from './trials.ts'
import { followUp, look, restock, reportTomorrow, DESCRIBE_REPLY } from './work.ts'

const DECISIONS_MAX = 500

/** A key that nobody has, so that the operator is a caller like any other. `again`: also after an owner revoked it. */
export async function ensureKey(ctx: Context, again: boolean): Promise<void> {
  const known = (await listPeople(ctx.store.db)).filter(({ name }) => name === OPERATOR_NAME)
  const has = again ? known.some(({ revokedAt }) => revokedAt === undefined) : known.length > 0
  if (!has) await addServiceKey(ctx, OPERATOR_NAME)
}

export async function runShift(ctx: Context, callAs: CallAs, tools: OperatorTools, shift: Shift): Promise<void> {
  try {
    if (!shift.isDryRun) await ensureKey(ctx, false)
    await work(ctx, callAs, tools, shift)
    await end(ctx, shift, undefined)
  } catch (failure) {
    // Whoever comes next goes on.
    if (failure instanceof ShiftTaken || failure instanceof StoreUnavailable) return
    if (!(failure instanceof ShiftEnd)) ctx.log.error({ err: failure, shift: shift.id }, 'a shift failed')
    await end(
      ctx,
      shift,
      failure instanceof ShiftEnd ? failure : new ShiftEnd('failed', 'failed', { reason: 'internal error' }),
    )
  }
}

const describerOf = ({ tool, operation }: StepRequest) =>
  (tool && DESCRIBE_MODEL_REPLY[operation]) ?? DESCRIBE_REPLY[operation]

async function work(ctx: Context, callAs: CallAs, tools: OperatorTools, shift: Shift): Promise<void> {
  const caller = await openShiftCaller(ctx, callAs, shift, describerOf)
  const autonomy = await caller.requireAllowed()
  await caller.finishBegun()
  if (!(await isDoneByModel(caller, tools))) {
    await look(caller)
    await restock(caller, autonomy)
    await followUp(caller)
    await tryPrices(caller, autonomy)
    await proposeSwaps(caller, autonomy)
  }
  await reportTomorrow(caller)
}

/** False: the built-in operator does the shift, or takes it over. */
async function isDoneByModel(caller: ShiftCaller, tools: OperatorTools): Promise<boolean> {
  const { ctx, shift } = caller
  const { operatorModel: settings } = ctx.config
  if (caller.ended('model done')) return true
  // A dry run sends nothing, to a model neither.
  if (shift.isDryRun || caller.ended('taken over') || !(settings ?? caller.ended('model'))) return false
  const reason = settings ? await tryModel(caller, settings, tools) : { instead: OPERATOR_NAME }
  if (reason) await caller.note('taken over', { code: 'taken_over', outcome: 'taken_over', params: reason })
  return reason === undefined
}

async function tryModel(
  caller: ShiftCaller,
  settings: ModelSettings,
  tools: OperatorTools,
): Promise<Reason | undefined> {
  // Loaded only where a model is configured.
  const { workAsModel } = await import('./model/work-model.ts')
  try {
    return await workAsModel(caller, settings, tools)
  } catch (failure) {
    if (failure instanceof ShiftEnd || failure instanceof ShiftTaken || failure instanceof StoreUnavailable)
      throw failure
    caller.ctx.log.error({ err: failure, shift: caller.shift.id }, 'the model of a shift failed')
    return { unreadable: 'internal error' }
  }
}

async function end(ctx: Context, shift: Shift, early: ShiftEnd | undefined): Promise<void> {
  const { store, config } = ctx
  await store.transaction(async (tx) => {
    const steps = await listSteps(tx, shift.id)
    if (early)
      await appendStep(ctx, tx, shift.id, steps.length, {
        step: 'end',
        outcome: 'noted',
        code: early.code,
        params: early.params,
      })
    const pending = await listDecisions(tx, {
      status: 'pending',
      kind: undefined,
      after: undefined,
      limit: DECISIONS_MAX,
    })
    const waiting = pending.filter(({ by }) => by?.name === OPERATOR_NAME).length
    const figures = figuresOf(steps, config.currency, waiting)
    const status = early?.status ?? (waiting > 0 ? 'waiting' : 'done')
    if (!(await endShift(ctx, tx, shift.id, status, figures)) || shift.isDryRun) return
    await recordEvent(ctx, tx, {
      kind: 'operator',
      code: 'shift_ended',
      params: {
        shift: shift.id,
        status,
        ...(figures.ordered === 0 ? {} : { ordered: figures.ordered }),
        ...(figures.bought === 0 ? {} : { bought: figures.bought, spent: money(figures.spent, config.currency) }),
        asked: figures.asked,
        refused: figures.refused,
      },
      summary: `The operator ended ${shift.id}: ${status}`,
      reasoning: early ? early.code : `${steps.length} steps in its journal.`,
    })
  })
}
