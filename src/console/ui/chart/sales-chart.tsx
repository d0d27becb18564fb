import type { DailySales, SalesDay } from '../../../contract/shapes/money/sales.ts'
import { client } from '../../lib/service/api.ts'
import { amountText, count, dayText, money, nextDay, shortMoney } from '../../lib/text/format.ts'
import { texts } from '../../lib/text/i18n.ts'
import { useResource } from '../../lib/service/resource.ts'
import { Chart } from './chart.tsx'
import { Empty, Loaded } from '../loaded.tsx'
import { Section } from '../section.tsx'

const HEIGHT = 200
/** The default window of the API. */
const SALES_DAYS = 30

type Sales = Pick<DailySales, 'currency' | 'days'>

/** Including days without sales. */
const useDailySales = (location?: string) =>
  useResource(
    `sales ${location ?? ''}`,
    async (signal): Promise<Sales> => {
      const query = location === undefined ? {} : { location }
      const { currency, from, to, days } = await client.listDailySales({ query, signal })
      const known = new Map(days.map((entry) => [entry.day, entry]))
      const filled: SalesDay[] = []
      for (let day = from; day <= to; day = nextDay(day)) filled.push(known.get(day) ?? { day, units: 0, revenue: 0 })
      return { currency, days: filled }
    },
    ['order', 'sync'],
  )

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
              keys={days.map(({ day }) => day)}
              raw={(amount) => amountText(amount, currency)}
              height={HEIGHT}
            />
          )
        }
      </Loaded>
    </Section>
  )
}
