/** The columns of the plan in a file. */
import type { PlanEntry } from '../../../contract/shapes/replenishment.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import type { ExportColumn } from '../../ui/table/export-button.tsx'

/** Every figure of the plan, in the order of the table. */
export function planColumns(name: (id: string) => string): readonly ExportColumn<PlanEntry>[] {
  const t = texts().plan
  return [
    { title: words().machine, value: ({ location }) => name(location) },
    { title: words().slot, value: ({ slot_id: slot }) => slot },
    { title: texts().pages.sku, value: ({ item }) => item.id },
    { title: texts().orders.items, value: ({ item }) => item.title },
    { title: words().stock, value: ({ stock }) => stock },
    { title: t.countedAt, value: ({ counted_at: at }) => at },
    { title: t.reportedStock, value: ({ reported_stock: reported }) => reported },
    { title: t.capacity, value: ({ capacity }) => capacity },
    { title: words().soldPerDay, value: ({ demand }) => demand.daily_rate },
    { title: words().simpleAverage, value: ({ demand }) => demand.naive_daily_rate },
    { title: t.emptyDays, value: ({ demand }) => demand.empty_days },
    { title: t.cover, value: ({ days_of_cover: cover }) => cover },
    { title: t.stockout, value: ({ stockout_at: at, stock }) => (stock === 0 ? null : at) },
    { title: words().emptySince, value: ({ empty_since: since }) => since },
    { title: t.action, value: ({ recommendation }) => texts().planAction[recommendation.action] },
    { title: words().quantity, value: ({ recommendation }) => recommendation.quantity },
    { title: texts().run.fromStoreroom, value: ({ from_storeroom: units }) => units },
  ]
}
