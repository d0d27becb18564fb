import { count, dayText, money, shortMoney } from '../lib/format.ts'
import { texts } from '../lib/i18n.ts'
import { SALES_DAYS, useDailySales } from '../lib/sales.ts'
import { Chart } from './chart.tsx'
import { Empty, Loaded } from './loaded.tsx'
import { Section } from './section.tsx'

const HEIGHT = 200

/** Daily revenue of one machine, or of all. */
export function SalesChart({ location }: { readonly location?: string }) {
  const sales = useDailySales(location)
  const t = texts().sales
  return (
    <Section
      title={t.title(SALES_DAYS)}
      note={
        sales.data
          ? t.summary(
              money(
                sales.data.days.reduce((sum, { revenue }) => sum + revenue, 0),
                sales.data.currency,
              ),
              count(sales.data.days.reduce((sum, { units }) => sum + units, 0)),
            )
          : ' '
      }
    >
      <Loaded resource={sales} wait={<div style={{ height: `${HEIGHT + 32}px` }} />}>
        {({ currency, days }) =>
          days.every(({ units }) => units === 0) ? (
            <div style={{ height: `${HEIGHT + 32}px` }}>
              <Empty icon="orders" title={t.none} />
            </div>
          ) : (
            <Chart
              label={t.label(SALES_DAYS)}
              points={days.map(({ day }) => dayText(day))}
              series={[{ name: t.revenue, values: days.map(({ revenue }) => revenue), kind: 'bars', tone: 'accent' }]}
              format={(amount) => shortMoney(amount, currency)}
              height={HEIGHT}
            />
          )
        }
      </Loaded>
    </Section>
  )
}
