/**
 * The guardrails file. It is read strictly: a missing, misspelt or mistyped field says nothing reliable about what the
 * owner wants, so one problem makes the whole file invalid. A misspelt optional field would silently lift its rule, so
 * unknown fields are refused.
 */
import { type Static, type TSchema, Type } from 'typebox'
import { RULE_ENTRIES_MAX as ENTRIES_MAX, RULE_ENTRY_MAX as ENTRY_LENGTH_MAX } from '../../contract/limits.ts'
import { parseRfc3339 } from '../../kernel/clock.ts'
import type { Fen } from '../../kernel/fen.ts'
import { findDuplicateName } from '../../lib/json.ts'
import { type Problem, integer, oneOf, text, validator } from '../../lib/validator.ts'
import { AUTONOMY_AREAS, AUTONOMY_LEVELS, LAYOUT_CHANGES_MAX } from '../../contract/shapes/guardrails.ts'
import { type ParsedRules, type RuleName, AUTONOMY_OFF, LAYOUT_CHANGES } from './rules.ts'

const strict = { additionalProperties: false, expected: 'an object' }

const amount = Type.Unsafe<Fen>(integer(0, Number.MAX_SAFE_INTEGER, { expected: 'a whole number of fen' }))
const texts = Type.Array(
  text(`text of at most ${ENTRY_LENGTH_MAX} characters`, (entry) => entry.length <= ENTRY_LENGTH_MAX),
  { maxItems: ENTRIES_MAX, expected: `a list of at most ${ENTRIES_MAX} texts` },
)

const spendingLimits = Type.Record(
  Type.String(),
  Type.Object(
    { perRun: Type.Optional(amount), perDay: Type.Optional(amount), perWeek: Type.Optional(amount) },
    { ...strict, expected: 'an object with perRun, perDay or perWeek' },
  ),
  { maxProperties: ENTRIES_MAX, expected: `an object with at most ${ENTRIES_MAX} names` },
)

const PERCENT_MAX = 10_000
const QUANTITY_MAX = 1_000_000

const autonomyLevel = Type.Optional(oneOf([...AUTONOMY_LEVELS]))

/** A rule that is missing here, or not in `ParsedRules`, does not compile. */
const RULES = {
  spendingLimitPerRun: amount,
  priceCapPerItem: amount,
  hardNoGos: texts,
  killSwitchEngaged: Type.Boolean({ expected: 'true or false' }),
  spendingLimitPerDay: Type.Optional(amount),
  spendingLimitPerWeek: Type.Optional(amount),
  spendingLimitBySupplier: Type.Optional(spendingLimits),
  spendingLimitByKey: Type.Optional(spendingLimits),
  priceDriftPerWeek: Type.Optional(amount),
  minimumMarginPercent: Type.Optional(
    Type.Number({ minimum: 0, maximum: PERCENT_MAX, expected: `a number from 0 to ${PERCENT_MAX}` }),
  ),
  maxUnitPrice: Type.Optional(amount),
  maxQuantityPerLine: Type.Optional(integer(0, QUANTITY_MAX)),
  ownersMayApproveTheirOwn: Type.Optional(Type.Boolean({ expected: 'true or false' })),
  autonomy: Type.Optional(
    Type.Object(
      { restock: autonomyLevel, prices: autonomyLevel, swaps: autonomyLevel } satisfies Record<
        (typeof AUTONOMY_AREAS)[number],
        TSchema
      >,
      { ...strict, expected: `an object with ${AUTONOMY_AREAS.join(', ')}` },
    ),
  ),
  newProducts: Type.Optional(Type.Boolean({ expected: 'true or false' })),
  layoutChangesPerVisit: Type.Optional(integer(0, LAYOUT_CHANGES_MAX)),
} as const satisfies Record<RuleName, TSchema>

const BESIDE = {
  probationUntil: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      expected: 'an RFC 3339 time with an offset, or null',
      isValid: (time: string) => parseRfc3339(time) !== undefined,
    }),
  ),
  administrators: Type.Optional(texts),
  administratorChats: Type.Optional(texts),
} as const

const RulesFile = Type.Object({ rules: Type.Object(RULES, strict), ...BESIDE }, strict)
export type RulesDocument = Static<typeof RulesFile>

const validate = validator(RulesFile)

/** What an owner sets: any part of the file, by the same schema. */
const validatePart = validator(
  Type.Object({ rules: Type.Optional(Type.Partial(Type.Object(RULES, strict), strict)), ...BESIDE }, strict),
)

export const REQUIRED_RULES = (Object.keys(RULES) as RuleName[]).filter((name) => !Type.IsOptional(RULES[name]))

/** Lists every problem of the file. For the log and for `doctor`; callers learn only that the rules cannot be read. */
export class InvalidRules extends Error {}

export const parseRules = (json: string): ParsedRules => toRules(parseDocument(json))

/** The file as it is, valid as a whole. */
export const parseDocument = (json: string): RulesDocument => validDocument(parseJson(json))

export function validDocument(value: unknown): RulesDocument {
  const file = validate(value)
  if (!file.ok) throw new InvalidRules(describeProblems(file.problems))
  return file.value
}

const describeProblems = (problems: readonly Problem[]): string =>
  problems.map(({ path, text: problem }) => `${path.join('.') || 'the file'} ${problem}`).join('; ')

/** What is wrong with a part of the rules; empty when nothing is. */
export function findPartProblems(part: unknown): readonly Problem[] {
  const result = validatePart(part)
  return result.ok ? [] : result.problems
}

export function toRules({
  rules,
  probationUntil,
  administrators = [],
  administratorChats = [],
}: RulesDocument): ParsedRules {
  return {
    ...rules,
    autonomy: { ...AUTONOMY_OFF, ...rules.autonomy },
    newProducts: rules.newProducts ?? false,
    layoutChangesPerVisit: rules.layoutChangesPerVisit ?? LAYOUT_CHANGES,
    probationUntil: typeof probationUntil === 'string' ? parseRfc3339(probationUntil) : undefined,
    administrators,
    administratorChats,
  }
}

function parseJson(json: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw new InvalidRules('the file is not JSON')
  }
  const name = findDuplicateName(json)
  if (name !== undefined)
    throw new InvalidRules(`the field ${JSON.stringify(name.slice(0, 64))} appears twice in one object`)
  return value
}
