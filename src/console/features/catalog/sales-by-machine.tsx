/** Sales, price and margin of one product, machine by machine. For owner and operator. */
import { count, money } from '../../lib/text/format.ts'
import { textsOf, words } from '../../lib/text/i18n.ts'
import { LAST_WEEK, useProfit } from '../profit/profit.ts'
import { href } from '../../lib/router.ts'
import { PROFIT } from '../../locales/money/profit.ts'
import { DataTable } from '../../ui/table/data-table.tsx'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'

export function SalesByMachine({ skuId }: { readonly skuId: string }) {
  const t = textsOf(PROFIT)
  return (
    <Section title={t.bySku} flush>
      <Loaded resource={useProfit('location', LAST_WEEK, { skuId })} lines={4}>
        {({ rows, currency }) =>
          rows.length === 0 ? (
            <Empty icon="profit" title={t.none} />
          ) : (
            <DataTable
              csv={t.bySku}
              rows={rows}
              keyOf={({ key }) => key.location ?? 'other'}
              columns={[
                {
                  title: words().machine,
                  cell: ({ key: { location, title } }) =>
                    location === undefined ? t.other : <a href={href.machine(location)}>{title ?? location}</a>,
                },
                { title: t.units, isNumber: true, cell: ({ units }) => count(units) },
                {
                  title: t.price,
                  isNumber: true,
                  cell: ({ units, revenue }) => units > 0 && money(Math.round(revenue / units), currency),
                },
                { title: t.revenue, isNumber: true, cell: ({ revenue }) => money(revenue, currency) },
                {
                  title: t.margin,
                  isNumber: true,
                  cell: ({ margin_percent: margin }) => margin !== null && `${margin}%`,
                },
                { title: t.profit, isNumber: true, cell: (row) => money(row.profit, currency) },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  )
}
