import { count, dayText, yuan } from '../lib/format.ts'
import { texts } from '../lib/i18n.ts'
import { SALES_DAYS, useDailySales } from '../lib/sales.ts'
import { Chart } from './chart.tsx'
import { Loaded } from './loaded.tsx'
import { Empty } from './empty.tsx'
import { Section } from './section.tsx'

const HEIGHT = 200

const shortYuan = (fen: number): string =>
  Math.abs(fen) >= 1_000_000 ? `¥${Math.round(fen / 10_000) / 10}k` : `¥${Math.round(fen / 100)}`

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
              yuan(sales.data.reduce((sum, { revenue }) => sum + revenue, 0)),
              count(sales.data.reduce((sum, { units }) => sum + units, 0)),
            )
          : ' '
      }
    >
      <Loaded resource={sales} wait={<div style={{ height: `${HEIGHT + 32}px` }} />}>
        {(days) =>
          days.every(({ units }) => units === 0) ? (
            <div style={{ height: `${HEIGHT + 32}px` }}>
              <Empty icon="orders" title={t.none} />
            </div>
          ) : (
            <Chart
              label={t.label(SALES_DAYS)}
              points={days.map(({ day }) => dayText(day))}
              series={[{ name: t.revenue, values: days.map(({ revenue }) => revenue), kind: 'bars', tone: 'accent' }]}
              format={shortYuan}
              height={HEIGHT}
            />
          )
        }
      </Loaded>
    </Section>
  )
}
