/** The pages that the navigation and the search offer. */
import type { IconName } from '../../ui/icon.tsx'
import { hasStoreroom, may } from '../../lib/service/me.ts'
import type { PageName } from '../../lib/router.ts'
import { PAGE_NEEDS } from '../../lib/routes.ts'

/** What an owner does every day, what it brings, and what is set up once. */
export const GROUPS = ['work', 'money', 'setup'] as const

export interface Entry {
  readonly name: PageName & IconName
  readonly path: string
  readonly group: (typeof GROUPS)[number]
  /** Pages that belong to this entry. */
  readonly also?: readonly PageName[]
}

const ENTRIES: readonly Entry[] = [
  { name: 'today', group: 'work', path: '/' },
  { name: 'approvals', group: 'work', path: '/approvals' },
  { name: 'activity', group: 'work', path: '/activity', also: ['shift'] },
  { name: 'visits', group: 'work', path: '/visits', also: ['visit'] },
  {
    name: 'machines',
    group: 'work',
    path: '/machines',
    also: ['machine', 'prices', 'setupMachines', 'setupSelections', 'setupCounts'],
  },
  { name: 'plan', group: 'work', path: '/plan', also: ['newRun', 'swaps'] },
  { name: 'runs', group: 'work', path: '/runs', also: ['run', 'pickList'] },
  { name: 'storeroom', group: 'work', path: '/storeroom' },
  { name: 'catalog', group: 'work', path: '/catalog', also: ['sku', 'links'] },
  { name: 'forecasts', group: 'work', path: '/forecasts' },
  { name: 'orders', group: 'money', path: '/orders', also: ['order', 'purchase', 'basket'] },
  { name: 'profit', group: 'money', path: '/profit' },
  { name: 'earn', group: 'money', path: '/earn' },
  { name: 'cash', group: 'money', path: '/cash' },
  { name: 'connections', group: 'setup', path: '/connections' },
  { name: 'guardrails', group: 'setup', path: '/guardrails' },
  { name: 'settings', group: 'setup', path: '/settings' },
  { name: 'people', group: 'setup', path: '/people' },
]

/** Those that the role may open. */
export const offeredEntries = () =>
  ENTRIES.filter(({ name }) => may(PAGE_NEEDS[name]) && (name !== 'storeroom' || hasStoreroom()))
