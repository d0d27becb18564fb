/**
 * The guardrails file. It is read strictly: a missing, misspelt or mistyped field says nothing reliable about what the
 * owner wants, so one problem makes the whole file invalid. A misspelt optional field would silently lift its rule, so
 * unknown fields are refused.
 */
import { Type } from 'typebox'
import type { Static } from 'typebox'
import { parseRfc3339 } from '../../kernel/clock.ts'
import { fen } from '../../kernel/fen.ts'
import { findDuplicateName } from '../../lib/duplicate-name.ts'
import { integer, text, validator } from '../../lib/validator.ts'
import type { ParsedRules } from './rules.ts'

const ENTRIES_MAX = 1000
const ENTRY_LENGTH_MAX = 256
const strict = { additionalProperties: false, expected: 'an object' }

const amount = integer(0, Number.MAX_SAFE_INTEGER, { expected: 'a whole number of fen' })
const texts = Type.Array(
  text(`text of at most ${ENTRY_LENGTH_MAX} characters`, (entry) => entry.length <= ENTRY_LENGTH_MAX),
  { maxItems: ENTRIES_MAX, expected: `a list of at most ${ENTRIES_MAX} texts` },
)

const RulesFile = Type.Object(
  {
    rules: Type.Object(
      {
        spendingLimitPerRun: amount,
        priceCapPerItem: amount,
        hardNoGos: texts,
        killSwitchEngaged: Type.Boolean({ expected: 'true or false' }),
        ownersMayApproveTheirOwn: Type.Optional(Type.Boolean({ expected: 'true or false' })),
      },
      strict,
    ),
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

/** The members of `rules`. Lists of them are `Record<RuleName, …>`, so that a new rule is not forgotten. */
export type RuleName = keyof Static<typeof RulesFile>['rules']

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
    ownersMayApproveTheirOwn: rules.ownersMayApproveTheirOwn,
    spendingLimitPerRun: fen(rules.spendingLimitPerRun),
    priceCapPerItem: fen(rules.priceCapPerItem),
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
