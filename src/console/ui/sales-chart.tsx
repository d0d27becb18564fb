import { count, dayText, yuan } from '../lib/format.ts'
import { w } from '../lib/i18n.ts'
import { SALES_DAYS, useDailySales } from '../lib/sales.ts'
import { Chart } from './chart.tsx'
import { Loaded } from './messages.tsx'
import { Empty, Section } from './parts.tsx'

const HEIGHT = 200

const short = (fen: number): string =>
  Math.abs(fen) >= 1_000_000 ? `¥${Math.round(fen / 10_000) / 10}k` : `¥${Math.round(fen / 100)}`

/** Takings by day, of one machine or of all. */
export function SalesChart({ location }: { readonly location?: string }) {
  const sales = useDailySales(location)
  const words = w().sales
  return (
    <Section
      title={words.title(SALES_DAYS)}
      note={
        sales.data
          ? words.sum(
              yuan(sales.data.reduce((sum, { revenue }) => sum + revenue, 0)),
              count(sales.data.reduce((sum, { units }) => sum + units, 0)),
            )
          : ' '
      }
    >
      <Loaded of={sales} wait={<div style={{ height: `${HEIGHT + 32}px` }} />}>
        {(days) =>
          days.every(({ units }) => units === 0) ? (
            <div style={{ height: `${HEIGHT + 32}px` }}>
              <Empty icon="orders" title={words.none} />
            </div>
          ) : (
            <Chart
              label={words.label(SALES_DAYS)}
              points={days.map(({ day }) => dayText(day))}
              series={[
                { name: words.revenue, values: days.map(({ revenue }) => revenue), kind: 'bars', tone: 'accent' },
              ]}
              format={short}
              height={HEIGHT}
            />
          )
        }
      </Loaded>
    </Section>
  )
}
