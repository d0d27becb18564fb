import { expect, test } from 'vitest'
import type { Event } from '../../../contract/shapes/event.ts'
import { foldSales } from './fold-sales.ts'

const event = (id: string, at: string, over: Partial<Event> = {}): Event => ({
  id,
  occurred_at: `2026-09-${at}:00+08:00`,
  kind: 'order',
  code: 'sale_recorded',
  summary: '',
  reasoning: '',
  source: 'service',
  params: { total: { amount: 250, currency: 'CNY' } },
  ...over,
})
const folded = (...events: Event[]) =>
  foldSales(events).map(([day, entries]) => [
    day,
    ...entries.map((entry) => ('sales' in entry ? [entry.sales.length, entry.total] : entry.id)),
  ])

test('sales that follow each other on one day are one entry with their sum; nothing else is folded', () => {
  expect(
    folded(
      event('a', '10T08:00'),
      event('b', '10T08:05'),
      event('c', '10T08:03', { params: {} }),
      event('sync', '10T07:00', { kind: 'sync', code: 'sync_completed' }),
      event('alone', '10T06:00'),
      event('bought', '10T05:00', { code: 'purchase_arrived' }),
      event('yesterday', '09T23:00'),
      event('told', '09T22:00', { source: 'caller' }),
    ),
  ).toEqual([
    ['2026-09-10', [3, 500], 'sync', 'alone', 'bought'],
    ['2026-09-09', 'yesterday', 'told'],
  ])
})
