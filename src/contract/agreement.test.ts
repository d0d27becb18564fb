import { expect, test } from 'vitest'
import { agreementOf } from './agreement.ts'

type Limits = Parameters<typeof agreementOf>[0]

const RUN = { rule: 'spendingLimitPerRun', window: 'run', limit: 50_000, used: 0 } as const
const DAY = { rule: 'spendingLimitPerDay', window: 'day', limit: 200_000, used: 0 } as const
const WEEK = { rule: 'spendingLimitPerWeek', window: 'week', limit: 900_000, used: 0 } as const

const rulesWith = (change: Partial<Limits>): Limits =>
  ({
    currency: 'CNY',
    rules: { spendingLimitPerRun: 50_000, priceCapPerItem: 100 },
    limits: [RUN],
    probation_active: false,
    probationUntil: null,
    ...change,
  }) as Limits

test.each<[string, Partial<Limits>, string]>([
  ['one limit', {}, 'purchases up to ¥500.00 each, and to price changes up to ¥1.00 for an item.'],
  ['all windows', { limits: [RUN, DAY, WEEK] }, 'up to ¥500.00 each, ¥2,000.00 a day, ¥9,000.00 a week, and'],
  ['a lower limit of this key', { limits: [RUN, { ...RUN, key: 'agent', limit: 700 }] }, 'up to ¥7.00 each, and'],
  ['a limit of another key', { limits: [RUN, { ...RUN, key: 'other', limit: 700 }] }, 'up to ¥500.00 each, and'],
  ['a limit of a supplier', { limits: [RUN, { ...RUN, supplier: 'x', limit: 700 }] }, 'up to ¥500.00 each, and'],
  [
    'on probation no purchase',
    { probation_active: true, probationUntil: '2026-10-01T00:00:00+08:00' },
    'in advance to price changes up to ¥1.00 for an item. Until 2026-10-01T00:00:00+08:00 the owner decides about every purchase.',
  ],
])('the agreement names the real limits: %s', (_what, change, text) =>
  expect(agreementOf(rulesWith(change), 'agent')).toContain(text),
)
