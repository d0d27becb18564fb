/** Questions to the owner: asking one, and closing those that nobody answered in time. */
import { randomUUID } from 'node:crypto'
import type { QuestionRequest } from '../../contract/shapes/approval.ts'
import { QUESTION_DAYS_DEFAULT, QUESTION_DAYS_MAX } from '../../contract/limits.ts'
import type { Job } from '../../jobs/runner.ts'
import { DAY, MINUTE, parseRfc3339 } from '../../kernel/clock.ts'
import { type Outcome, accept, catchRefusal, refuse } from '../../kernel/outcome.ts'
import { findCreated, recordCreated } from '../../store/created.ts'
import { recordEvent } from '../../record/events/index.ts'
import { questionText } from '../../texts/questions.ts'
import type { Context, WriteContext } from '../../context.ts'
import { type Decision, subjectParams } from './decision.ts'
import { createQuestion, expireQuestion, findDecision, listOverdueQuestions } from './records.ts'

const BATCH_SIZE = 100

/** Answering a question changes nothing but the question. */
export const QUESTION_SUBJECT = { applyDecision: async () => {} }

export const askOwner = (ctx: Context, request: QuestionRequest): Promise<Outcome<Decision>> =>
  catchRefusal(() => ask(ctx, request))

async function ask(ctx: Context, request: QuestionRequest): Promise<Outcome<Decision>> {
  const { store, clock } = ctx
  const { summary, reasoning, options = [], expires_at: until, subject: about, params } = request
  const now = clock.now()
  const expiresAt = until === undefined ? now + QUESTION_DAYS_DEFAULT * DAY : parseRfc3339(until)
  if (expiresAt === undefined) return refuse('invalid', 'Not an RFC 3339 time with an offset', '$.expires_at')
  if (expiresAt <= now || expiresAt > now + QUESTION_DAYS_MAX * DAY)
    return refuse('invalid', `It must lie within the next ${QUESTION_DAYS_MAX} days`, '$.expires_at')
  if (new Set(options.map((option) => option.trim())).size < options.length)
    return refuse('invalid', 'The options must all be different', '$.options')
  // Readers see the text in their language, so it must be the same question.
  if (params !== undefined && !isSameQuestion(request))
    return refuse('invalid', 'They do not give this question: summary, reasoning and options differ', '$.params')
  const earlier = await findCreated(store.db)
  if (earlier !== undefined) return accept(await readBack(ctx, earlier))
  const id = await store.transaction(async (tx) => {
    const asked = await createQuestion(ctx, tx, {
      kind: 'note',
      summary,
      reasoning,
      subject: { type: 'note', id: randomUUID() },
      ...(params === undefined ? {} : { params }),
      question: { options, expiresAt, about },
    })
    await recordCreated(tx, asked, now)
    const decision = await findDecision(tx, asked)
    await recordEvent(ctx, tx, {
      kind: 'approval',
      code: 'question_asked',
      params: { ...(decision && subjectParams(decision)), decision: asked, summary },
      summary: `${asked}: ${summary}`,
      reasoning,
    })
    return asked
  })
  return accept(await readBack(ctx, id))
}

function isSameQuestion({ summary, reasoning, options = [], params }: QuestionRequest): boolean {
  const known = questionText(params, 'en')
  const isSame = known?.summary === summary && known.reasoning === reasoning
  return isSame && options.length === known.options.length && options.every((option, i) => option === known.options[i])
}

async function readBack({ store }: Pick<Context, 'store'>, id: string): Promise<Decision> {
  const decision = await findDecision(store.db, id)
  if (!decision) throw new Error(`the question ${id} is gone`)
  return decision
}

export async function closeOverdueQuestion(ctx: WriteContext, decision: Decision): Promise<void> {
  await ctx.store.transaction((tx) => expireQuestion(ctx, tx, decision))
}

export const questionJobs = (ctx: WriteContext): readonly Job[] => [
  {
    name: 'expire-questions',
    everyMs: MINUTE,
    run: async () => {
      for (const decision of await listOverdueQuestions(ctx.store.db, ctx.clock.now(), BATCH_SIZE))
        await closeOverdueQuestion(ctx, decision)
    },
  },
]
