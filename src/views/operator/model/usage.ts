/** Tokens and cost of a model, from the journal. */
import type { Step } from '../shift.ts'

export interface Usage {
  readonly input: number
  readonly output: number
  /** Millionths of a minor unit, of the replies whose price was known. */
  readonly micro: number
  readonly isPriced: boolean
}

type Replied = Pick<Step, 'code' | 'params'>

export function usageOf(steps: readonly Replied[]): Usage {
  const replies = steps.filter(({ code }) => code === 'model_replied')
  const sum = (name: string) => replies.reduce((total, { params }) => total + Number(params[name] ?? 0), 0)
  const isPriced = replies.every(({ params }) => params['micro'] !== undefined)
  return { input: sum('input'), output: sum('output'), micro: sum('micro'), isPriced }
}

export const toMinorUnits = (micro: number): number => Math.ceil(micro / 1e6)

const nameOf = (name: unknown): string => (typeof name === 'string' ? name : '')

/** Null: no model worked on it. */
export function costOf(steps: readonly Replied[]) {
  const began = steps.find(({ code }) => code === 'model_begins')
  if (!began) return { model: null, cost: null }
  const { input, output, micro, isPriced } = usageOf(steps)
  const hasPrice = isPriced && began.params['priced'] === true
  return {
    model: { name: nameOf(began.params['model']) },
    cost: { model_tokens: { input, output }, model_cost: hasPrice ? toMinorUnits(micro) : null },
  }
}
