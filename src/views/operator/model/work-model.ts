/**
 * A shift by a model: request, reply, calls, again. Everything it was told and said is written with the step of the journal
 * that it belongs to, so that whoever takes the shift up goes on where it stopped, and asks nothing twice.
 */
import { localDay, MINUTE, startOfDay } from '../../../kernel/clock.ts'
import { money } from '../../../kernel/currency.ts'
import type { ModelSettings } from '../../../config/operator-model.ts'
import { isDryRun } from '../../../contract/dry-run.ts'
import { sanitizeText } from '../../../vendors/upstream/sanitize-text.ts'
import type { CallReply, OperatorTools } from '../caller.ts'
import { decidePurchase, mayOrder } from '../decide.ts'
import { type ShiftCaller, ShiftTaken } from '../shift-caller.ts'
import { listAskedRuns, listReplies } from '../records.ts'
import { type StepRequest, OPERATOR_NAME } from '../shift.ts'
import { OWN_RUNS_MS, purchaseOf, readUnknown, readRuns } from '../work.ts'
import { bindCall, isTrimmed } from './bind.ts'
import { CALLS_MAX, MINUTES_MAX, SYSTEM, writeBrief } from './brief.ts'
import { askModel, readKey } from './endpoint.ts'
import { type ModelCall, type ModelReply, protocolOf, readReply, REPLY_TOKENS_MAX } from './protocol.ts'
import type { Reason } from './reasons.ts'
import { type NewEntry, addEntry, hashOf, listTranscript } from './records.ts'
import { toMinorUnits, usageOf } from './usage.ts'

/** The same call with the same arguments, in one shift. */
const SAME_CALLS_MAX = 4

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Undefined: the model ended its work. Otherwise why the built-in operator has to do it. */
export async function workAsModel(
  caller: ShiftCaller,
  settings: ModelSettings,
  tools: OperatorTools,
): Promise<Reason | undefined> {
  const { ctx, shift } = caller
  const { model, prices } = settings
  const protocol = protocolOf(settings)
  const began = caller.ended('model')
  if (began && began.params['model'] !== model) return { instead: model }
  if (!began)
    await caller.append(
      { step: 'model', code: 'model_begins', params: { model, priced: prices !== undefined }, outcome: 'noted' },
      { kind: 'brief', content: await writeBrief(caller) },
    )
  const since = caller.ended('model')?.at ?? 0
  const left = () => since + MINUTES_MAX * MINUTE - ctx.clock.now()
  let key: string | undefined
  try {
    key = readKey(settings)
  } catch {
    return { unreadable: 'OPERATOR_MODEL_KEY_FILE' }
  }

  for (;;) {
    const entries = await listTranscript(ctx.store.db, shift.id)
    const lastText = entries.findLast(({ kind }) => kind === 'reply')?.content
    const last = lastText === undefined ? undefined : readReply(protocol, lastText)
    const number = entries.filter(({ kind }) => kind === 'reply').length
    if (last) {
      const reason = await followReply(last, number)
      if (reason) return reason
      if (last.end === 'done') {
        await caller.note('model done', { code: 'model_done', params: saidBy(last) })
        return undefined
      }
    }
    const used = await findUsedUp(last ? last.input + last.output : 0)
    if (used) return used
    if (left() <= 0) return { minutes: MINUTES_MAX }
    const reason = await ask(number + 1)
    if (reason) return reason
  }

  async function ask(number: number): Promise<Reason | undefined> {
    await caller.requireAllowed()
    const entries = await listTranscript(ctx.store.db, shift.id)
    const body = JSON.stringify(protocol.body(model, { system: SYSTEM, tools: tools.list(), entries }))
    const step = `model ${number}`
    const isBegun = caller.journal.some((entry) => entry.step === step)
    if (!isBegun)
      await caller.append({ step, code: 'model_ask', params: { model, hash: hashOf(body) }, outcome: 'begun' })
    const fail = async (reason: Reason, content: string): Promise<Reason> => {
      await caller.append(
        { step, code: 'model_failed', params: { model }, outcome: 'noted' },
        { kind: 'failure', content },
      )
      return reason
    }
    const asked = await askModel(settings, body, {
      key,
      left,
      beforeRetry: async (what) => {
        await keep({ kind: 'failure', content: what })
        await caller.requireAllowed()
      },
    })
    if (!asked.ok) return fail(asked.reason, JSON.stringify(asked.reason))
    const reply = readReply(protocol, asked.text)
    if (!reply) return fail({ unreadable: 'not what the protocol says' }, asked.text)
    const { input, output } = reply
    await caller.append(
      {
        step,
        code: 'model_replied',
        outcome: 'noted',
        params: {
          model,
          input,
          output,
          ...(prices ? { micro: input * prices.input + output * prices.output } : {}),
          // The last words are those of the step that ends it.
          ...(reply.end === 'done' ? {} : saidBy(reply)),
          hash: hashOf(asked.text),
        },
      },
      { kind: 'reply', content: asked.text },
    )
    return undefined
  }

  async function keep(entry: NewEntry): Promise<void> {
    if (!(await ctx.store.transaction((tx) => addEntry(ctx, tx, shift.id, entry)))) throw new ShiftTaken()
  }

  /** Makes the calls of a reply that have no result yet. */
  async function followReply(reply: ModelReply, number: number): Promise<Reason | undefined> {
    if (reply.end === 'refused') return { refusal: sanitizeText(reply.text) }
    if (reply.end === 'cut') return { cut: REPLY_TOKENS_MAX }
    const entries = await listTranscript(ctx.store.db, shift.id)
    const results = entries.filter(({ kind }) => kind === 'result')
    if (reply.end === 'done') return results.length === 0 ? { idle: 0 } : undefined
    const lastReply = entries.findLastIndex(({ kind }) => kind === 'reply')
    const answered = new Set(entries.slice(lastReply).flatMap(({ call }) => call ?? []))
    let made = results.length
    for (const [index, call] of reply.calls.entries()) {
      if (answered.has(call.id)) continue
      if (made >= CALLS_MAX) return { calls: CALLS_MAX }
      if (left() <= 0) return { minutes: MINUTES_MAX }
      if (countSame(entries, reply, index) > SAME_CALLS_MAX) return { repeats: call.name.slice(0, 64) }
      await makeCall(call, `model ${number} call ${index + 1}`)
      made += 1
    }
    return undefined
  }

  /** Among all calls of the shift up to this one. */
  function countSame(entries: readonly { kind: string; content: string }[], reply: ModelReply, index: number): number {
    const textOf = ({ name, args }: ModelCall) => JSON.stringify([name, args])
    const earlier = entries
      .filter(({ kind }) => kind === 'reply')
      .slice(0, -1)
      .flatMap(({ content }) => readReply(protocol, content)?.calls ?? [])
    const wanted = textOf(reply.calls[index]!)
    return [...earlier, ...reply.calls.slice(0, index + 1)].filter((call) => textOf(call) === wanted).length
  }

  async function makeCall({ id, name, args }: ModelCall, step: string): Promise<void> {
    const answer = (content: string) => keep({ kind: 'result', call: id, content })
    if (!isObject(args)) return answer('The arguments are not a JSON object.')
    const known = tools.toRequest(name, args)
    if (!known) return answer(`There is no tool ${name.slice(0, 64)}.`)
    const { operation } = known.request
    // The stop is pulled whatever else is the matter, and a preview writes nothing.
    const isPreview = known.isWrite && isDryRun(known.request.query ?? {})
    const autonomy = await caller.requireAllowed()
    const bound = bindCall(autonomy, operation, args)
    if (typeof bound === 'string') return answer(bound)
    const { request } = tools.toRequest(name, bound) ?? known
    const asTool: StepRequest = { ...request, tool: { name, args: bound, call: id } }
    if (!known.isWrite || isPreview) return answer((await caller.tryRead(asTool)).text ?? '')
    const checked = await checkWrite(asTool, autonomy.restock)
    if (typeof checked === 'string') return answer(checked)
    const params = { tool: name, model, ...checked }
    await caller.act({
      step,
      begun: 'call_begun',
      params,
      request: asTool,
      would: { code: 'call_begun', outcome: 'would', params },
    })
  }

  /** The operator touches its own runs and purchases only, and none that may be bought already. A text: why not. */
  async function checkWrite(
    { operation, params = {}, body }: StepRequest,
    level: Parameters<typeof mayOrder>[0],
  ): Promise<string | { readonly supplier?: string }> {
    const isRun = operation === 'placeRun' || operation === 'cancelRun'
    const isPurchase =
      operation === 'completeCheckout' || operation === 'updateCheckout' || operation === 'cancelCheckout'
    if (!isRun && !isPurchase) return {}
    const id: unknown = params['id']
    if (typeof id !== 'string' || id === '') return 'id must be a text.'
    const run: CallReply['body'] = isRun
      ? (await caller.tryRead({ operation: 'getRun', params: { id } })).body
      : (await readRuns(caller, 'placed')).find(({ checkouts = [] }) =>
          checkouts.some((checkout: CallReply['body']) => checkout.id === id),
        )
    if (run?.by?.name !== OPERATOR_NAME) return `${id} is not of one of your runs: leave it to the person who made it.`
    const asked = await listAskedRuns(ctx.store.db, ctx.clock.now() - OWN_RUNS_MS)
    if (operation !== 'cancelRun' && operation !== 'cancelCheckout' && !mayOrder(level, { isAsked: asked.has(run.id) }))
      return 'The owner decides about every run, and was not asked about this one.'
    if (!isPurchase) return {}
    const checkout = await caller.read({ operation: 'getCheckout', params: { id } })
    if (operation === 'updateCheckout' && level !== 'act') {
      const lines = isObject(body) ? body['line_items'] : undefined
      if (!isTrimmed(checkout.line_items, lines)) return 'The owner said yes to this: lines may only be left out.'
    }
    if (operation !== 'completeCheckout') return {}
    const open = purchaseOf(checkout)
    const move = decidePurchase({
      purchase: open,
      unknown: await readUnknown(caller),
      refusals: caller.journal.filter(
        ({ code, params: about }) => code === 'purchase_refused' && about['supplier'] === open.vendor,
      ).length,
      missing: 0,
      lines: checkout.line_items.length,
      isChanged: false,
    })
    if (move.move !== 'hold') return { supplier: open.vendor }
    return move.because === 'unknown'
      ? `It is not certain whether ${move.other} has the same goods ordered already: do not buy them now.`
      : `${open.vendor} refused three purchases in this shift: leave it alone.`
  }

  /** @param next tokens that the next request has at least */
  async function findUsedUp(next: number): Promise<Reason | undefined> {
    const { tokensMax, costMax } = settings
    const { timeZone, currency } = ctx.config
    const today = await listReplies(ctx.store.db, startOfDay(localDay(ctx.clock.now(), timeZone), timeZone))
    for (const [{ input, output, micro }, tokens, cost] of [
      [usageOf(caller.journal), tokensMax.shift, costMax.shift],
      [usageOf(today), tokensMax.day, costMax.day],
    ] as const) {
      if (input + output + next > tokens) return { tokens }
      if (prices && toMinorUnits(micro + next * prices.input) > cost) return { budget: money(cost, currency) }
    }
    return undefined
  }
}

const saidBy = ({ text }: ModelReply): { readonly text?: string } => {
  const said = sanitizeText(text)
  return said === '' ? {} : { text: said }
}
