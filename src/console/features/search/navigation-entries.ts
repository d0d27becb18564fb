/** The pages that the navigation and the search offer. */
import type { IconName } from '../../ui/icon.tsx'
import { hasStoreroom, may } from '../../lib/service/me.ts'
import type { PageName } from '../../lib/router.ts'
import { PAGE_NEEDS } from '../../lib/routes.ts'

export interface Entry {
  readonly name: PageName & IconName
  readonly path: string
  /** Pages that belong to this entry. */
  readonly also?: readonly PageName[]
}

const ENTRIES: readonly Entry[] = [
  { name: 'today', path: '/' },
  { name: 'approvals', path: '/approvals' },
  { name: 'activity', path: '/activity', also: ['shift'] },
  { name: 'visits', path: '/visits', also: ['visit'] },
  {
    name: 'machines',
    path: '/machines',
    also: ['machine', 'prices', 'setupMachines', 'setupSelections', 'setupCounts'],
  },
  { name: 'plan', path: '/plan', also: ['newRun', 'swaps'] },
  { name: 'runs', path: '/runs', also: ['run', 'pickList'] },
  { name: 'storeroom', path: '/storeroom' },
  { name: 'orders', path: '/orders', also: ['order', 'purchase', 'basket'] },
  { name: 'catalog', path: '/catalog', also: ['sku', 'links'] },
  { name: 'profit', path: '/profit' },
  { name: 'cash', path: '/cash' },
  { name: 'forecasts', path: '/forecasts' },
  { name: 'connections', path: '/connections' },
  { name: 'guardrails', path: '/guardrails' },
  { name: 'people', path: '/people' },
]

/** Those that the role may open. */
export const offeredEntries = () =>
  ENTRIES.filter(({ name }) => may(PAGE_NEEDS[name]) && (name !== 'storeroom' || hasStoreroom()))
