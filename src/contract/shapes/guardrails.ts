/**
 * The rules as the rules file and the owners state them, and the emergency stop. Members of `rules` keep the camelCase of the
 * configuration.
 */
import { type Static, Type } from 'typebox'
import { Amount, Count, Currency, ENVELOPE, PaginationResponse, Timestamp } from '../common.ts'
import { RULE_ENTRIES_MAX, RULE_ENTRY_MAX, SUMMARY_MAX } from '../limits.ts'
import { answer, list, nullable, oneOf, request, text } from '../schema-helpers.ts'

const SpendingLimits = answer('SpendingLimits', {
  perRun: Type.Optional(Amount),
  perDay: Type.Optional(Amount),
  perWeek: Type.Optional(Amount),
})

/** What may be done without a person who presses a button. */
export const AUTONOMY_AREAS = ['restock', 'prices', 'swaps'] as const
export const AUTONOMY_LEVELS = ['off', 'propose', 'act'] as const
export type AutonomyLevel = (typeof AUTONOMY_LEVELS)[number]
export type Autonomy = Readonly<Record<(typeof AUTONOMY_AREAS)[number], AutonomyLevel>>
export const LAYOUT_CHANGES_MAX = 1000

const AutonomyLevel = oneOf([...AUTONOMY_LEVELS], { title: 'AutonomyLevel' })

/** Also in the answer of the operator. */
export const Autonomy = answer('Autonomy', { restock: AutonomyLevel, prices: AutonomyLevel, swaps: AutonomyLevel })

export const AutonomyRequest = request('AutonomyRequest', {
  restock: Type.Optional(AutonomyLevel),
  prices: Type.Optional(AutonomyLevel),
  swaps: Type.Optional(AutonomyLevel),
})

const GuardrailRules = answer('GuardrailRules', {
  spendingLimitPerRun: Amount,
  priceCapPerItem: Amount,
  hardNoGos: list(Type.String()),
  killSwitchEngaged: Type.Boolean({ description: 'From the rules file; the stop can also be engaged at run time.' }),
  spendingLimitPerDay: Type.Optional(Amount),
  spendingLimitPerWeek: Type.Optional(Amount),
  spendingLimitBySupplier: Type.Optional(Type.Immutable(Type.Record(Type.String(), SpendingLimits))),
  spendingLimitByKey: Type.Optional(Type.Immutable(Type.Record(Type.String(), SpendingLimits))),
  priceDriftPerWeek: Type.Optional(Amount),
  minimumMarginPercent: Type.Optional(Type.Number()),
  maxUnitPrice: Type.Optional(Amount),
  maxQuantityPerLine: Type.Optional(Count),
  ownersMayApproveTheirOwn: Type.Optional(
    Type.Boolean({ description: 'Absent: an owner approves its own requests only while there is one owner.' }),
  ),
  autonomy: Autonomy,
  newProducts: Type.Boolean(),
  layoutChangesPerVisit: Count,
})
export type GuardrailRules = Static<typeof GuardrailRules>

/** What comes from one place: the file or an owner. */
export type RuleMember =
  | Exclude<keyof GuardrailRules, 'autonomy'>
  | `autonomy.${keyof Autonomy}`
  | 'probationUntil'
  | 'administrators'
  | 'administratorChats'

/** What an owner may set where the file leaves it out: the stop is pulled and released. */
export type EditableRule = Exclude<RuleMember, 'killSwitchEngaged'>

const RuleOrigin = answer('RuleOrigin', {
  rule: Type.String({ description: 'The member, such as `spendingLimitPerDay` or `autonomy.restock`.' }),
  set_by: nullable(oneOf(['file', 'owner'], { description: 'Null: nobody, so that its default holds.' })),
  editable: Type.Boolean({ description: 'False while the rules file sets it: an owner cannot change it here.' }),
})
export type RuleOrigin = Static<typeof RuleOrigin>

const entryList = (options: object = {}) =>
  Type.Array(Type.String({ maxLength: RULE_ENTRY_MAX }), { maxItems: RULE_ENTRIES_MAX, ...options })
const entries = (description: string) => nullable(entryList({ description }))
const limitsByName = nullable(
  Type.Record(
    Type.String(),
    request('SpendingLimitsRequest', {
      perRun: Type.Optional(Amount),
      perDay: Type.Optional(Amount),
      perWeek: Type.Optional(Amount),
    }),
  ),
)

/** Null takes a rule back. */
const RuleChanges = request('RuleChanges', {
  spendingLimitPerRun: Type.Optional(Amount),
  priceCapPerItem: Type.Optional(Amount),
  hardNoGos: Type.Optional(entryList()),
  spendingLimitPerDay: Type.Optional(nullable(Amount)),
  spendingLimitPerWeek: Type.Optional(nullable(Amount)),
  spendingLimitBySupplier: Type.Optional(limitsByName),
  spendingLimitByKey: Type.Optional(limitsByName),
  priceDriftPerWeek: Type.Optional(nullable(Amount)),
  minimumMarginPercent: Type.Optional(nullable(Type.Number({ minimum: 0 }))),
  maxUnitPrice: Type.Optional(nullable(Amount)),
  maxQuantityPerLine: Type.Optional(nullable(Count)),
  ownersMayApproveTheirOwn: Type.Optional(nullable(Type.Boolean())),
  autonomy: Type.Optional(nullable(AutonomyRequest)),
  newProducts: Type.Optional(nullable(Type.Boolean())),
  layoutChangesPerVisit: Type.Optional(nullable(Count)),
})

export const RulesRequest = request('RulesRequest', {
  rules: Type.Optional(RuleChanges),
  probationUntil: Type.Optional(nullable(Type.String({ format: 'date-time' }))),
  administrators: Type.Optional(entries('Ids of those who may resolve approvals in a chat.')),
  administratorChats: Type.Optional(entries('Ids of the chats in which they may.')),
})
export type RulesRequest = Static<typeof RulesRequest>

const RuleChange = answer('RuleChange', {
  at: Timestamp,
  rule: Type.String(),
  before: Type.Unknown({ description: 'Null: it was not set.' }),
  after: Type.Unknown({ description: 'Null: it was taken back.' }),
  by: Type.String({ description: 'Who set it: the name of an owner, or the rules file.' }),
})
export type RuleChange = Static<typeof RuleChange>

export const RuleChangeList = answer('RuleChangeList', {
  ...ENVELOPE,
  changes: list(RuleChange),
  pagination: Type.Optional(PaginationResponse),
})
export type RuleChangeList = Static<typeof RuleChangeList>

export const LimitUsage = answer('LimitUsage', {
  rule: Type.String({ description: 'The member of `rules`.' }),
  limit: Amount,
  used: Amount,
  window: oneOf(['run', 'day', 'week']),
  supplier: Type.Optional(Type.String()),
  key: Type.Optional(Type.String()),
  frees_at: Type.Optional(Timestamp),
})
export type LimitUsage = Static<typeof LimitUsage>

export const EmergencyStop = answer('EmergencyStop', {
  engaged: Type.Boolean(),
  sources: list(oneOf(['file', 'pulled'])),
  since: Type.Optional(Timestamp),
  by: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
})
export type EmergencyStop = Static<typeof EmergencyStop>

/** Limits over time: without them, small purchases and price steps add up. */
export const MISSING_LIMITS = ['spendingLimitPerDay', 'spendingLimitPerWeek', 'priceDriftPerWeek'] as const
export type MissingLimit = (typeof MISSING_LIMITS)[number]

export const Guardrails = answer('Guardrails', {
  ...ENVELOPE,
  currency: Currency,
  rules: GuardrailRules,
  origins: list(RuleOrigin),
  probationUntil: nullable(Timestamp),
  probation_active: Type.Boolean(),
  administrators: Count,
  administrator_chats: Count,
  emergency_stop: EmergencyStop,
  limits: list(LimitUsage),
  missing_limits: Type.Immutable(
    Type.Array(oneOf(MISSING_LIMITS), {
      description:
        'In live: members of `rules` that are not set, so that allowed steps add up without a limit. Purchases: while neither the limit of a day nor that of a week is set. Prices: while there is no drift limit.',
    }),
  ),
  unmatched_no_gos: Type.Optional(
    Type.Immutable(
      Type.Array(Type.String(), {
        description: 'Entries of `hardNoGos` that match no known product; absent while a catalog cannot be read.',
      }),
    ),
  ),
})
export type Guardrails = Static<typeof Guardrails>

export const EmergencyStopAnswer = answer('EmergencyStopAnswer', { ...ENVELOPE, emergency_stop: EmergencyStop })
export type EmergencyStopAnswer = Static<typeof EmergencyStopAnswer>

export const ReleaseRequest = request('ReleaseRequest', {
  word: oneOf(['release'], { description: 'Typed by a person.' }),
  reason: text(SUMMARY_MAX),
})
export type ReleaseRequest = Static<typeof ReleaseRequest>

export const StopRequest = request('StopRequest', { reason: text(SUMMARY_MAX) })
export type StopRequest = Static<typeof StopRequest>
