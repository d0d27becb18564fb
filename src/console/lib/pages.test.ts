/** What the pages derive from API data. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AttentionSlot } from '../../contract/shapes/planning/summary.ts'
import type { PlanEntry } from '../../contract/shapes/replenishment.ts'
import type { ReplenishmentRun } from '../../contract/shapes/run.ts'
import { HOUR } from '../../kernel/clock.ts'
import { PRESENCES, isReporting } from '../../kernel/stock-state.ts'
import { project } from '../features/plan/projection.tsx'
import { generalMessages, messagesAt } from '../features/purchases/checkout.ts'
import { actionHref, isOnItsWay, isOverdue } from '../features/today/attention.ts'
import { SHOWS } from '../features/plan/plan-rows.ts'
import { presence } from '../features/machines/health.ts'
import { paceOf } from '../features/plan/plan.ts'
import { parseRoute } from './router.ts'

test('a path is parsed into its page and id', () => {
  expect(parseRoute('http://x/purchases/po_20260910_1')).toMatchObject({ page: 'purchase', id: 'po_20260910_1' })
  expect(parseRoute('http://x/skus/acme-supply%3A1001?location=M1')).toMatchObject({
    page: 'sku',
    id: 'acme-supply:1001',
  })
  expect(parseRoute('http://x/skus/%E0%A4')).toMatchObject({ page: 'sku', id: '%E0%A4' })
  expect(parseRoute('http://x/plan/')).toMatchObject({ page: 'plan' })
  expect(parseRoute('http://x/nowhere')).toMatchObject({ page: undefined })
})

const entry = (location: string, stock: number, cover: number | null): PlanEntry => ({
  slot_id: `${location}-${stock}`,
  location,
  item: { id: 'acme-machine:1', title: 'Water' },
  stock,
  demand: { daily_rate: 1, naive_daily_rate: 1, available_days: 21, empty_days: 0, closed_days: 0, measured: true },
  days_of_cover: cover,
  stockout_at: null,
  recommendation: stock === 0 ? { action: 'order', quantity: 5 } : { action: 'none' },
})

test('a machine that missed two syncs is not reporting', () => {
  const seen = '2026-09-10T08:00:00+08:00'
  const machine = { id: 'M1', name: 'M1', online: true, last_synced_at: seen }
  expect(presence(machine, Date.parse(seen) + 2 * HOUR)).toBe('online')
  expect(presence(machine, Date.parse(seen) + 2 * HOUR + 1)).toBe('not_reporting')
  expect(presence({ ...machine, online: false }, Date.parse(seen))).toBe('offline')
  expect(presence({ id: 'M1', name: 'M1', last_synced_at: seen }, Date.parse(seen))).toBe('unknown')
  expect(presence({ id: 'M1', name: 'M1' }, 0)).toBe('never')
  // A machine of which nobody can say whether it is online needs no attention for that.
  expect(PRESENCES.filter((one) => !isReporting(one))).toEqual(['offline', 'not_reporting', 'never'])
})

test('what needs attention links to what can be done', () => {
  const item = { id: 'acme-machine:1', title: 'Water' }
  const slot = { kind: 'empty', slot_id: 's', location: 'M1', location_name: 'Hall', item, stock: 0 } as const
  const links = [
    {},
    { quantity: 3 },
    { run: 'run-1', quantity: 3 },
    { kind: 'coming' },
    { kind: 'coming', run: 'run-2' },
  ]
  expect(links.map((over) => actionHref({ ...slot, ...over } as AttentionSlot))).toEqual([
    '/machines/M1',
    '/plan?show=order',
    '/runs/run-1',
    '/runs',
    '/runs/run-2',
  ])
})

test('the plan, to which Today leads, shows those that need something', () => {
  const actions = ['order', 'locked', 'in_transit', 'watch', 'phase_out'] as const
  const entries = actions.map((action) => ({ ...entry('M1', 0, 0), recommendation: { action } }))
  expect(entries.filter(SHOWS.empty).map(({ recommendation }) => recommendation.action)).toEqual(['order', 'watch'])
})

test('3.2 a run whose purchases are not ordered yet is not on its way', () => {
  const run = (...statuses: string[]) =>
    ({ checkouts: statuses.map((status) => ({ id: status, vendor: 'v', status })) }) as unknown as ReplenishmentRun
  expect([run(), run('incomplete'), run('ready_for_complete'), run('canceled', 'completed')].map(isOnItsWay)).toEqual([
    true,
    false,
    false,
    true,
  ])
})

test('a delivery is overdue a day after the usual lead time', () => {
  const placed = '2026-09-10T08:00:00+08:00'
  const at = (days: number) => Date.parse(placed) + days * 86_400_000
  const run = { placed_at: placed } as ReplenishmentRun
  expect([at(2.9), at(3.1)].map((now) => isOverdue(run, 2, now))).toEqual([false, true])
  expect(isOverdue({} as ReplenishmentRun, 2, at(9))).toBe(false)
})

test('projected stock never rises, is never negative, and its line stays within its band', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 200 }), fc.double({ min: 0, max: 50, noNaN: true }), (stock, rate) => {
      const bands = project(stock, rate, 9, 24)
      return bands.every(({ low, mid, high }, index) => {
        const before = bands[index - 1]
        return low >= 0 && low <= mid && mid <= high && high <= stock && (before === undefined || mid <= before.mid)
      })
    }),
  )
})

test('projected stock ends when the days left do, also where closed days sell nothing', () => {
  const withClosedDays = entry('M1', 11, 9.1)
  const bands = project(11, paceOf(withClosedDays), 9.1, 24)
  expect([bands.at(-2)!.mid > 0, bands.at(-1)!.mid]).toEqual([true, 0])
  expect(paceOf(entry('M1', 0, 0))).toBe(1)
})

test('2.3 a message belongs to the element its path names', () => {
  const messages = [
    { type: 'error', code: 'missing', content: 'phone', path: '$.fulfillment.methods[0].destinations[0].phone_number' },
    { type: 'error', code: 'out_of_stock', content: 'line 1', path: '$.line_items[1].quantity' },
    { type: 'error', code: 'hard_no_go', content: 'line 10', path: '$.line_items[10]' },
    { type: 'error', code: 'expired', content: 'all' },
  ] as const
  expect(messagesAt(messages, '$.line_items[1]').map(({ content }) => content)).toEqual(['line 1'])
  expect(generalMessages({ messages } as never).map(({ content }) => content)).toEqual(['all'])
})
