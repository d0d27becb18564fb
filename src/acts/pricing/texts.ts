/** The sentences of pricing: messages, events and the approval an owner is asked for, bounded for any number of lines. */
import { callerName } from '../../kernel/caller.ts'
import { REASONING_MAX, SUMMARY_MAX } from '../../contract/limits.ts'
import { type CurrencyCode, formatAmount, money } from '../../kernel/currency.ts'
import type { Refusal } from '../../kernel/outcome.ts'
import type { TextParams } from '../../kernel/message.ts'
import { plainCode, withId } from '../../kernel/text.ts'
import type { Queryable } from '../../store/store.ts'
import type { NewDecision } from '../../rules/approvals/index.ts'
import { type PriceRules, approvalReason, askedEvidence, describeEvidence } from '../../rules/guardrails/index.ts'
import type { Context } from '../../context.ts'
import type { OwnEvent } from '../../record/events/index.ts'
import { findLocation } from '../../route/locations/index.ts'
import type { Applied, PriceLine } from './price-line.ts'
import { lineVerdict } from './line-rules.ts'

export const TEXTS = {
  notRegistered: 'The machine is no longer registered',
  otherPlatform: (namespace: string) => `Prices of this machine must be for ${namespace} products`,
  pricedTwice: 'This product is listed twice',
  notInMachine: 'This product is not in the machine',
  cannotChangePrices: (namespace: string) => `${namespace} cannot change prices`,
  busy: 'Another price change on this machine is still running',
  approvalRequired: "A price change exceeds a limit. No price was changed; it needs the owner's approval",
  nothingChanged: 'No price was changed',
  priceRefused: 'The machine did not accept this price',
  fewerConfirmed: 'The machine confirmed fewer prices than were sent and could not be read back',
  tooLateToSend: 'The prices were not sent: they waited longer than the time-out',
  costUnknown: 'The margin cannot be checked: the price list of the supplier cannot be read',
  marginNotChecked: (product: string, percent: number) =>
    `The margin of at least ${percent}% was not checked for ${product}: its cost is not known`,
  earlierUnconfirmed: 'An earlier change of these prices is not confirmed by the machine yet',
  unconfirmed: (text: string) =>
    `${text}. It is not known yet whether the prices changed; the machine is read again until it is`,
  pricesMoved: 'The prices on the machine changed after the approval was requested. Send the request again',
} as const

const LINES_SHOWN = 5
const TITLE_LENGTH = 60

const shorten = (title: string) => (title.length > TITLE_LENGTH ? `${title.slice(0, TITLE_LENGTH)}…` : title)

const joinFirst = <T>(all: readonly T[], describe: (one: T) => string, separator: string): string =>
  all.slice(0, LINES_SHOWN).map(describe).join(separator) +
  (all.length > LINES_SHOWN ? `${separator}and ${all.length - LINES_SHOWN} more` : '')

/** ` (+200%)`; empty where there was no price before. */
function describePercent({ previousFen, priceFen }: PriceLine): string {
  if (previousFen === 0) return ''
  const percent = Math.round((100 * (priceFen - previousFen)) / previousFen)
  return ` (${percent > 0 ? '+' : ''}${percent}%)`
}

const describeLines = (lines: readonly PriceLine[], currency: CurrencyCode): string =>
  joinFirst(
    lines,
    (line) =>
      `${shorten(line.title)}, ${formatAmount(line.previousFen, currency)} → ${formatAmount(line.priceFen, currency)}${describePercent(line)}`,
    '; ',
  )

const describeOverRules = (rules: PriceRules, over: readonly PriceLine[]): string =>
  joinFirst(over, (line) => `${shorten(line.title)}: ${describeEvidence(lineVerdict(rules, line).evidence)}`, ' ')

const cutSummary = (text: string): string => text.slice(0, SUMMARY_MAX)
const cutReasoning = (text: string): string => text.slice(0, REASONING_MAX)

/** The machine and the first of the lines. */
const paramsOf = (machine: Machine, lines: readonly PriceLine[]): TextParams => {
  const [first] = lines
  return {
    location: machine.id,
    machine: machine.name,
    lines: lines.length,
    ...(first
      ? {
          product: shorten(first.title),
          previous: money(first.previousFen, machine.currency),
          price: money(first.priceFen, machine.currency),
        }
      : {}),
  }
}

export interface Machine {
  readonly id: string
  /** Its id where no name is known. */
  readonly name: string
  /** Of its prices. */
  readonly currency: CurrencyCode
}

export async function findMachine({ config }: Pick<Context, 'config'>, db: Queryable, id: string): Promise<Machine> {
  return { id, name: (await findLocation(db, id))?.name ?? id, currency: config.currency }
}

const labelOf = ({ id, name }: Machine): string => withId(name === id ? undefined : name, id)

/** What happened to a price change, by the code of its event, before the lines that it happened to. */
const SUMMARIES = {
  price_change_waiting: 'price change is waiting for approval',
  price_change_still_waiting: 'price change is still waiting for approval',
  price_change_unconfirmed: 'price change not confirmed',
  price_change_denied: 'price change refused',
  price_change_failed: 'price change failed',
  price_change_not_executed: 'price change approved but not applied',
  prices_already_set: 'prices were already set',
  price_changed: 'price changed',
  price_changed_partly: 'prices changed in part',
  price_change_confirmed: 'price change was applied after all',
  price_change_confirmed_partly: 'price change was applied in part',
  price_change_not_applied: 'price change was not applied',
  price_change_outcome_unknown: 'outcome of the price change stays unknown',
  price_change_late: 'price change was applied late',
} as const

export type PriceEventCode = keyof typeof SUMMARIES

export const priceEvent = (
  code: PriceEventCode,
  machine: Machine,
  lines: readonly PriceLine[],
  reasons: readonly string[],
  { detail = '', params = {} }: { readonly detail?: string; readonly params?: TextParams } = {},
): OwnEvent => {
  const event = {
    kind: 'price_change',
    code,
    params: { ...paramsOf(machine, lines), ...params },
    summary: cutSummary(`${labelOf(machine)}: ${SUMMARIES[code]}${detail}: ${describeLines(lines, machine.currency)}`),
    reasoning: cutReasoning(reasons.join(' ')),
    location: machine.id,
  }
  // Without lines it has no product: then the console shows the summary.
  return event as OwnEvent
}

/** Of a request that was refused, before or after its lines were read. */
export const refusedEvent = (machine: Machine, { messages }: Pick<Refusal, 'messages'>): OwnEvent => {
  const reason = messages[0]?.code ?? 'internal'
  return {
    kind: 'price_change',
    code: 'price_change_refused',
    params: { location: machine.id, machine: machine.name, reason },
    summary: cutSummary(`${labelOf(machine)}: price change refused: ${plainCode(reason)}`),
    reasoning: cutReasoning(messages.map(toSentence).join(' ')),
    location: machine.id,
  }
}

export const toSentence = ({ content }: { readonly content: string }): string => content.replace(/[^.]$/, '$&.')

export function appliedEvent(machine: Machine, applied: Applied, basis: string): OwnEvent {
  const { changed, refusal, inEffect, outcome } = applied
  const unchanged = applied.unchanged.map(({ line }) => line)
  // The lines of one refused batch all have the same reason.
  const reasons = [
    basis,
    ...new Set([...(refusal?.messages ?? []), ...applied.unchanged.map(({ why }) => why)].map(toSentence)),
  ]
  if (outcome === 'unknown') return priceEvent('price_change_unconfirmed', machine, unchanged, reasons)
  const denial = refusal?.messages.find(({ code }) => code === 'kill_switch_engaged' || code === 'guard_unverifiable')
  if (denial)
    return priceEvent('price_change_denied', machine, unchanged, reasons, {
      detail: `: ${plainCode(denial.code)}`,
      params: { reason: denial.code },
    })
  if (refusal) return priceEvent('price_change_failed', machine, unchanged, reasons)
  if (changed.length === 0) return priceEvent('prices_already_set', machine, inEffect, reasons)
  if (unchanged.length === 0) return priceEvent('price_changed', machine, changed, reasons)
  const detail = ` (${unchanged.length} not changed: ${describeLines(unchanged, machine.currency)})`
  return priceEvent('price_changed_partly', machine, changed, reasons, {
    detail,
    params: { unchanged: unchanged.length },
  })
}

/** The approval that a change beyond the rules needs. */
export function newApproval(
  machine: Machine,
  lines: readonly PriceLine[],
  rules: PriceRules,
  over: readonly PriceLine[],
): Omit<NewDecision, 'subject'> {
  const [first] = over
  const reasonOf = (line: PriceLine) => {
    const verdict = lineVerdict(rules, line)
    // Within the rules: somebody asked all the same.
    return approvalReason(verdict.allowed ? { allowed: false, evidence: [askedEvidence(callerName())] } : verdict)
  }
  const { code, params } = first ? reasonOf(first) : {}
  const evidence = over.flatMap((line) =>
    (reasonOf(line).evidence ?? []).map((each) => ({
      ...each,
      params: { ...each.params, product: shorten(line.title) },
    })),
  )
  return {
    kind: 'price_change',
    summary: cutSummary(`${labelOf(machine)}: ${describeLines(lines, machine.currency)}`),
    reasoning: cutReasoning(describeOverRules(rules, over)),
    code,
    evidence,
    params: { ...paramsOf(machine, over), ...params, lines: lines.length },
  }
}
