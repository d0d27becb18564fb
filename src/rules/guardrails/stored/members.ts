/**
 * The rules as single members, so that each one can come from the file or from an owner: `spendingLimitPerDay`,
 * `autonomy.restock`. Pure.
 */
import { AUTONOMY_AREAS, type RuleMember } from '../../../contract/shapes/guardrails.ts'
import { type Fields, isFields } from '../../../lib/objects.ts'
import type { RulesDocument } from '../rules-file.ts'

export type Members = Readonly<Partial<Record<RuleMember, unknown>>>

/** Numbers of minor units of the currency. */
export const isAmountRule = (member: string): boolean =>
  /^(?:spendingLimit|priceCap|priceDrift|maxUnitPrice)/.test(member)

/** Members of the file beside `rules`. */
const BESIDE = ['probationUntil', 'administrators', 'administratorChats'] as const

/** Of a document, or of a part of one. A member that is null stays null. */
export function toMembers({ rules = {}, ...beside }: Fields & { readonly rules?: Fields }): Members {
  const { autonomy, ...plain } = rules
  const areas: Fields =
    autonomy === null
      ? Object.fromEntries(AUTONOMY_AREAS.map((area) => [area, null]))
      : isFields(autonomy)
        ? autonomy
        : {}
  return Object.fromEntries([
    ...Object.entries(plain),
    ...Object.entries(areas).map(([area, level]) => [`autonomy.${area}`, level]),
    ...BESIDE.flatMap((name) => (beside[name] === undefined ? [] : [[name, beside[name]]])),
  ]) as Members
}

/** The document that has these members; it has to be validated like any other. */
export function toDocument(members: Members): Fields {
  const rules: Record<string, unknown> = {}
  const beside: Record<string, unknown> = {}
  const autonomy: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(members)) {
    const [, area] = /^autonomy\.(.+)$/.exec(name) ?? []
    if (area !== undefined) autonomy[area] = value
    else if ((BESIDE as readonly string[]).includes(name)) beside[name] = value
    else rules[name] = value
  }
  return { rules: { ...rules, ...(Object.keys(autonomy).length > 0 ? { autonomy } : {}) }, ...beside }
}

/** Where a member stands in a request or in the file. */
export const memberPath = (member: string): string =>
  (BESIDE as readonly string[]).includes(member) ? `$.${member}` : `$.rules.${member}`

export const membersOf = (document: RulesDocument): Members => toMembers(document)

/** Of two values that came out of JSON. */
export const isSameValue = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
