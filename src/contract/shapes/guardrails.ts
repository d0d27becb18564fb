/**
 * The rules as the deployment states them, read only, and the emergency stop, which can be pulled here and never
 * released. Members of `rules` keep the camelCase of the configuration.
 */
import { type Static, Type } from 'typebox'
import { Amount, Count, Currency, ENVELOPE, Timestamp } from '../common.ts'
import { SUMMARY_MAX } from '../limits.ts'
import { answer, list, nullable, oneOf, request, text } from '../schema-helpers.ts'

const SpendingLimits = answer('SpendingLimits', {
  perRun: Type.Optional(Amount),
  perDay: Type.Optional(Amount),
  perWeek: Type.Optional(Amount),
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
})
export type GuardrailRules = Static<typeof GuardrailRules>

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

export const StopRequest = request('StopRequest', { reason: text(SUMMARY_MAX) })
export type StopRequest = Static<typeof StopRequest>
