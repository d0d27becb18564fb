/** What an approval is about, as a small table: products, old and new values, amounts, and how much is sold. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ApprovalDetails, ApprovalLine } from '../../contract/approval.ts'
import { amountText, decimal, money, rate } from '../lib/format.ts'
import { texts, words } from '../lib/i18n.ts'
import { DataTable } from './data-table.tsx'
import { Money } from './value.tsx'

/** A dash where it is not known. */
const DASH = '–'
/** The dearest lines come first; more of them on request. */
const SHORT = 5

function Change({ previous, next }: { readonly previous: number; readonly next: number }) {
  if (previous === 0) return null
  const percent = Math.round((100 * (next - previous)) / previous)
  return <span class="faint"> {`${percent > 0 ? '+' : ''}${percent}%`}</span>
}

const keyOf = ({ sku_id, location = '' }: ApprovalLine): string => `${sku_id} ${location}`

interface Props {
  readonly details: ApprovalDetails
  /** Of the file. */
  readonly name: string
}

export function ApprovalTable({ details, name }: Props) {
  const t = texts().approvals.table
  const [expanded, setExpanded] = useState(false)
  const { currency, line_count: count } = details
  const lines = expanded ? details.lines : details.lines.slice(0, SHORT)
  const isPriceChange = lines.some((line) => line.previous_price !== undefined)
  const amount = (value: number | undefined): ComponentChildren =>
    value === undefined ? DASH : <Money amount={value} currency={currency} />
  const hasMachines = lines.some(({ location }) => location !== undefined)
  const hidden = details.lines.length - lines.length
  const more = count - details.lines.length
  if (lines.length === 0) return null
  return (
    <div class="approval-table">
      <DataTable
        {...(details.lines.length > SHORT ? { csv: name, loadAll: async () => details.lines } : {})}
        rows={lines}
        keyOf={keyOf}
        columns={[
          {
            title: words().product,
            cell: ({ title, location_name: machine }) => (
              <>
                {title}
                {hasMachines && machine ? <span class="faint"> · {machine}</span> : null}
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
          isPriceChange ? undefined : { title: t.total, isNumber: true, cell: (line) => amount(line.total) },
          {
            title: t.sold,
            isNumber: true,
            cell: ({ sales_per_day: sold }) => (sold === undefined ? DASH : rate(sold)),
          },
        ]}
      />
      {hidden > 0 ? (
        <p class="note">
          <button type="button" class="linklike" onClick={() => setExpanded(true)}>
            {t.showMore(hidden)}
          </button>
        </p>
      ) : more > 0 ? (
        <p class="note">{t.more(more)}</p>
      ) : null}
    </div>
  )
}
