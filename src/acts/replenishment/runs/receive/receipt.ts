/** What receiving a whole run and receiving one of its stops have in common. */
import type { CheckoutStatus } from '../../../../contract/shapes/checkout.ts'
import type { Message, NoteMessage } from '../../../../kernel/message.ts'
import type { Tx } from '../../../../store/store.ts'
import { type EventLine, type Run, type RunLine, activeLines, MESSAGES_MAX } from '../run.ts'
import { findSessionStatuses } from '../purchases/sessions.ts'
import { surplusWarning, purchaseNotCompleted } from '../texts.ts'

/** The lines of a receipt that brought something. */
export const deliveredLines = (deliveredByLine: ReadonlyMap<number, number>): EventLine[] =>
  [...deliveredByLine].flatMap(([n, quantity]) => (quantity > 0 ? [{ n, quantity }] : [])).toSorted((a, b) => a.n - b.n)

/** All units that the run brought: with stops received before, and with this receipt. */
export const deliveredUnits = (lines: readonly RunLine[], deliveredByLine: ReadonlyMap<number, number>): number =>
  lines.reduce((total, { n, delivered }) => total + (deliveredByLine.get(n) ?? delivered ?? 0), 0)

/** The messages of a run after a receipt: those it had, and what is remarkable about the receipt. */
export async function loadReceiptMessages(
  tx: Tx,
  run: Run,
  deliveredByLine: ReadonlyMap<number, number>,
  now: number,
): Promise<readonly Message[]> {
  const sessions = await findSessionStatuses(tx, [run], now)
  const warnings = [...surplusWarnings(run.lines, deliveredByLine), ...purchaseWarnings(run, sessions)]
  return [...run.messages, ...warnings].slice(-MESSAGES_MAX)
}

/** More than was ordered is booked as reported, with a warning. */
const surplusWarnings = (lines: readonly RunLine[], deliveredByLine: ReadonlyMap<number, number>): NoteMessage[] =>
  activeLines(lines).flatMap((line) => {
    const received = deliveredByLine.get(line.n) ?? 0
    return received > line.quantity ? [surplusWarning(line, received)] : []
  })

/** Products that arrive before any purchase was completed were bought elsewhere, or belong to another run. Said once. */
function purchaseWarnings({ checkouts, messages }: Run, sessions: ReadonlyMap<string, CheckoutStatus>): NoteMessage[] {
  if (checkouts.length === 0 || checkouts.some(({ id }) => sessions.get(id) === 'completed')) return []
  return messages.some(({ code }) => code === purchaseNotCompleted.code) ? [] : [purchaseNotCompleted]
}
