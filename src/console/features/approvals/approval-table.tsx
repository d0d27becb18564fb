/** What an approval is about, as a small table: products, old and new values, amounts, and how much is sold. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ApprovalDetails, ApprovalLine } from '../../../contract/shapes/approval.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { amountText, decimal, money, rate } from '../../lib/text/format.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { DataTable } from '../../ui/table/data-table.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { Badge, Money } from '../../ui/value.tsx'

/** The dearest lines come first; all of them, by machine, on request. */
const SHORT = 5

function Change({ previous, next }: { readonly previous: number; readonly next: number }) {
  if (previous === 0) return null
  const percent = Math.round((100 * (next - previous)) / previous)
  return <span class="faint"> {`${percent > 0 ? '+' : ''}${percent}%`}</span>
}

const keyOf = ({ sku_id, location = '' }: ApprovalLine): string => `${sku_id} ${location}`

interface Props {
  readonly details: ApprovalDetails
  /** The approval: the name of the file, and where all lines are read. */
  readonly name: string
}

/** `Empty, then 12`; `3 in stock, then 15 · 1.2 days left`. */
function slotText({ stock, days_left: left, quantity = 0 }: ApprovalLine): string | undefined {
  const t = texts().approvals.table
  if (stock === undefined) return undefined
  const level = t.level(stock, stock + quantity)
  return stock === 0 || typeof left !== 'number' ? level : `${level} · ${words().daysLeft(decimal(left))}`
}

/** Lines of a run by machine, the dearest machine first; others in one table. */
function groupsOf(lines: readonly ApprovalLine[]): readonly (readonly ApprovalLine[])[] {
  const sumOf = (group: readonly ApprovalLine[]) => group.reduce((sum, { total = 0 }) => sum + total, 0)
  return [...Map.groupBy(lines, ({ location = '' }) => location).values()].toSorted((a, b) => sumOf(b) - sumOf(a))
}

export function ApprovalTable({ details, name }: Props) {
  const t = texts().approvals.table
  const [all, setAll] = useState<readonly ApprovalLine[]>()
  const load = useAction(async () => {
    if (details.lines.length >= details.line_count) return setAll(details.lines)
    const read = await client.getApproval({ params: { id: name } })
    return setAll(read.details?.lines ?? details.lines)
  })
  const { line_count: count } = details
  const lines = all ?? details.lines.slice(0, SHORT)
  if (lines.length === 0) return null
  const groups = groupsOf(lines)
  const isByMachine = all !== undefined && lines.some(({ location }) => location !== undefined)
  const readAll = async () => (await client.getApproval({ params: { id: name } })).details?.lines ?? details.lines
  return (
    <div class="approval-table stack">
      {isByMachine ? (
        groups.map((group) => (
          <section key={group[0]?.location} aria-label={group[0]?.location_name}>
            <h3>
              {group[0]?.location_name}{' '}
              <span class="faint">
                <Money amount={group.reduce((sum, { total = 0 }) => sum + total, 0)} currency={details.currency} />
              </span>
            </h3>
            <Lines details={details} lines={group} />
          </section>
        ))
      ) : (
        <Lines
          details={details}
          lines={lines}
          withMachine
          {...(count > SHORT ? { csv: name, loadAll: readAll } : {})}
        />
      )}
      {load.error === undefined ? null : <Failure error={load.error} compact />}
      {lines.length < count ? (
        <p class="note">
          <button type="button" class="linklike" disabled={load.busy} onClick={() => void load.run()}>
            {t.showAll(count)}
          </button>
        </p>
      ) : null}
    </div>
  )
}

interface LinesProps {
  readonly details: ApprovalDetails
  readonly lines: readonly ApprovalLine[]
  readonly withMachine?: boolean
  readonly csv?: string
  readonly loadAll?: () => Promise<readonly ApprovalLine[]>
}

function Lines({ details: { currency }, lines, withMachine = false, ...file }: LinesProps) {
  const t = texts().approvals.table
  const isPriceChange = lines.some((line) => line.previous_price !== undefined)
  const amount = (value: number | undefined): ComponentChildren =>
    value !== undefined && <Money amount={value} currency={currency} />
  return (
    <DataTable
      {...file}
      rows={lines}
      keyOf={keyOf}
      columns={[
        {
          title: words().product,
          cell: (line) => (
            <>
              {line.title}
              {withMachine && line.location_name ? <span class="faint"> · {line.location_name}</span> : null}
              {line.orderable === false ? <Badge tone="warn">{t.unorderable}</Badge> : null}
              {slotText(line) ? <span class="faint line-why">{slotText(line)}</span> : null}
            </>
          ),
        },
        isPriceChange
          ? { title: words().priceNow, isNumber: true, cell: (line) => amount(line.previous_price) }
          : {
              title: words().quantity,
              isNumber: true,
              cell: ({ quantity = 0, unit }) => (unit === 'BX' ? t.boxes(quantity) : decimal(quantity)),
            },
        {
          title: isPriceChange ? t.next : t.price,
          isNumber: true,
          value: (line) => amountText(line.price, currency),
          cell: (line) => (
            <>
              {isPriceChange ? <strong>{money(line.price, currency)}</strong> : amount(line.price)}
              {line.previous_price === undefined ? null : <Change previous={line.previous_price} next={line.price} />}
            </>
          ),
        },
        !isPriceChange && { title: t.total, isNumber: true, cell: (line) => amount(line.total) },
        {
          title: t.sold,
          isNumber: true,
          cell: ({ sales_per_day: sold }) => sold !== undefined && rate(sold),
        },
      ]}
    />
  )
}
