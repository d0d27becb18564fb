/** What the owner's word means for a call of a model. Pure. */
import type { Autonomy } from '../../../contract/shapes/guardrails.ts'
import type { OperationId } from '../../../contract/handlers.ts'

const AREA: Readonly<Partial<Record<OperationId, keyof Autonomy>>> = {
  createRun: 'restock',
  placeRun: 'restock',
  cancelRun: 'restock',
  updateCheckout: 'restock',
  completeCheckout: 'restock',
  cancelCheckout: 'restock',
  acceptSwap: 'swaps',
  changePrices: 'prices',
}

/** These ask the owner where the call says so, whatever the rules allow. */
const CAN_ASK: ReadonlySet<OperationId> = new Set(['createRun', 'acceptSwap', 'changePrices'])

type Arguments = Readonly<Record<string, unknown>>

/** The arguments as they are sent, or why the call is not made. */
export function bindCall(autonomy: Autonomy, operation: OperationId, args: Arguments): Arguments | string {
  const area = AREA[operation]
  const level = area && autonomy[area]
  if (level === 'off') return `The owner has switched "${area}" off for you. Do something else.`
  return level === 'propose' && CAN_ASK.has(operation) ? { ...args, ask: true } : args
}

interface Line {
  readonly item?: { readonly id?: unknown }
  readonly quantity?: unknown
  readonly quantity_unit?: { readonly unit?: unknown }
}

const nameOf = ({ item, quantity_unit: unit }: Line): string => JSON.stringify([item?.id, unit?.unit ?? null])

/** Whether lines were only left out or lowered: what the owner said yes to covers nothing else. */
export function isTrimmed(before: readonly Line[], after: unknown): boolean {
  if (!Array.isArray(after)) return false
  const left = new Map<string, number>()
  for (const line of before) left.set(nameOf(line), (left.get(nameOf(line)) ?? 0) + Number(line.quantity))
  return (after as readonly (Line | null)[]).every((line) => {
    const rest = line ? left.get(nameOf(line)) : undefined
    if (!line || rest === undefined || !(Number(line.quantity) <= rest)) return false
    left.set(nameOf(line), rest - Number(line.quantity))
    return true
  })
}
