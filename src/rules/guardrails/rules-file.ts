/**
 * The guardrails file. It is read strictly: a missing, misspelt or mistyped field says nothing reliable about what the
 * owner wants, so one problem makes the whole file invalid. A misspelt optional field would silently lift its rule, so
 * unknown fields are refused.
 */
import { type TSchema, Type } from 'typebox'
import { parseRfc3339 } from '../../kernel/clock.ts'
import type { Fen } from '../../kernel/fen.ts'
import { findDuplicateName } from '../../lib/json.ts'
import { integer, text, validator } from '../../lib/validator.ts'
import type { ParsedRules, RuleName } from './rules.ts'

const ENTRIES_MAX = 1000
const ENTRY_LENGTH_MAX = 256
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
} as const satisfies Record<RuleName, TSchema>

const RulesFile = Type.Object(
  {
    rules: Type.Object(RULES, strict),
    probationUntil: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        expected: 'an RFC 3339 time with an offset, or null',
        isValid: (time: string) => parseRfc3339(time) !== undefined,
      }),
    ),
    administrators: Type.Optional(texts),
    administratorChats: Type.Optional(texts),
  },
  strict,
)

const validate = validator(RulesFile)

/** Lists every problem of the file. For the log and for `doctor`; callers learn only that the rules cannot be read. */
export class InvalidRules extends Error {}

export function parseRules(json: string): ParsedRules {
  const file = validate(parseJson(json))
  if (!file.ok) {
    const problems = file.problems.map(({ path, text: problem }) => `${path.join('.') || 'the file'} ${problem}`)
    throw new InvalidRules(problems.join('; '))
  }
  const { rules, probationUntil, administrators = [], administratorChats = [] } = file.value
  return {
    ...rules,
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
