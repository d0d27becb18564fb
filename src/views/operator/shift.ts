/** A shift and its journal. */
import type { ShiftOutcome, ShiftStatus, ShiftTrigger } from '../../contract/shapes/operator/operator.ts'
import type { OperationId } from '../../contract/handlers.ts'
import type { TextParams } from '../../kernel/message.ts'
import type { Person } from '../../kernel/person.ts'
import { type QuestionCode, questionText } from '../../texts/questions.ts'
import type { StepCode } from '../../texts/shift/en.ts'

/** The name of the operator's key. */
export const OPERATOR_NAME = 'vendops'

/** What came of a shift, in numbers; the sentence about it is written from them. */
export interface Figures {
  /** Runs. */
  readonly ordered: number
  /** Purchases. */
  readonly bought: number
  /** Minor units. */
  readonly spent: number
  readonly asked: number
  readonly waiting: number
  readonly refused: number
  readonly currency: string
}

export interface Shift {
  readonly id: string
  readonly trigger: ShiftTrigger
  readonly isDryRun: boolean
  readonly status: ShiftStatus
  readonly startedAt: number
  readonly endedAt: number | undefined
  readonly figures: Figures | undefined
  readonly by: Person | undefined
}

export interface Reference {
  readonly type: 'replenishment_run' | 'checkout' | 'approval' | 'slot'
  readonly id: string
}

/** A request as it was, or will be, sent. */
export interface StepRequest {
  readonly operation: OperationId
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** As a model called it. */
  readonly tool?: { readonly name: string; readonly args: Readonly<Record<string, unknown>>; readonly call: string }
}

export interface Step {
  readonly n: number
  readonly at: number
  readonly step: string
  readonly code: StepCode
  readonly params: TextParams
  readonly reference: Reference | undefined
  readonly outcome: ShiftOutcome
  readonly request: StepRequest | undefined
}

export type NewStep = Pick<Step, 'step' | 'code' | 'params' | 'outcome'> & {
  readonly reference?: Reference | undefined
  readonly request?: StepRequest | undefined
}

/** With the id of the shift and the step a repeated write is recognized, also after the process died. */
export const writeKey = (shift: Pick<Shift, 'id'>, step: string): string => `${shift.id} ${step}`

/** Steps that were begun and whose end is not in the journal. */
export function unfinished(steps: readonly Step[]): readonly Step[] {
  const ended = new Set(steps.filter(({ outcome }) => outcome !== 'begun').map(({ step }) => step))
  return steps.filter(({ step, outcome }) => outcome === 'begun' && !ended.has(step))
}

/** As people read it: what was begun and has ended is one step. */
export function readable(steps: readonly Step[]): readonly Step[] {
  const open = new Set(unfinished(steps))
  return steps.filter((step) => step.outcome !== 'begun' || open.has(step))
}

/** From the journal: what was bought, asked and refused. */
export function figuresOf(steps: readonly Step[], currency: string, waiting: number): Figures {
  const bought = steps.filter(({ code, outcome }) => code === 'purchase_bought' && outcome === 'done')
  const spentOn = ({ params: { total } }: Step) => (typeof total === 'object' ? total.amount : 0)
  return {
    ordered: steps.filter(({ code, outcome }) => code === 'run_placed' && outcome === 'done').length,
    bought: bought.length,
    spent: bought.reduce((sum, step) => sum + spentOn(step), 0),
    asked: steps.filter(({ outcome }) => outcome === 'asked').length,
    refused: steps.filter(({ outcome }) => outcome === 'refused').length,
    waiting,
    currency,
  }
}

/** Readers see it in their language; what is stored is English. */
export function knownQuestion(question: QuestionCode, values: TextParams) {
  const params = { question, ...values }
  const text = questionText(params, 'en')
  if (!text) throw new Error(`a value of the question ${question} is missing`)
  const { options, ...said } = text
  return { ...said, ...(options.length > 0 ? { options } : {}), params }
}
