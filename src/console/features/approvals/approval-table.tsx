/** What an approval is about: all its money, by machine, and what of it cannot be ordered. */
import { useEffect, useState } from 'preact/hooks'
import type { ApprovalDetails, ApprovalLine } from '../../../contract/shapes/approval.ts'
import type { CurrencyCode } from '../../../kernel/currency.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { amountText, count, decimal, money, rate } from '../../lib/text/format.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { DataTable, type Column } from '../../ui/table/data-table.tsx'
import { ExportButton } from '../../ui/table/export-button.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { Money } from '../../ui/value.tsx'

/** More are read when they are asked for. */
const LINES_AT_ONCE = 300
/** So few need no folding. */
const FEW = 12
/** A slot that is empty tomorrow. */
const SOON_DAYS = 1

type Lines = readonly ApprovalLine[]

const sumOf = (lines: Lines): number => lines.reduce((sum, { total = 0 }) => sum + total, 0)

/** The dearest machine first. */
const byMachine = (lines: Lines): readonly (readonly [string, Lines])[] =>
  [...Map.groupBy(lines, ({ location_name: name, location = '' }) => name ?? location)].toSorted(
    ([, a], [, b]) => sumOf(b) - sumOf(a),
  )

interface Props {
  readonly details: ApprovalDetails
  /** The approval: the name of the file, and where all lines are read. */
  readonly name: string
}

export function ApprovalTable({ details, name }: Props) {
  const t = texts().approvals
  const { line_count: lineCount, currency, total, unorderable } = details
  const [lines, setLines] = useState(details.lines)
  const readAll = async () => (await client.getApproval({ params: { id: name } })).details?.lines ?? details.lines
  const load = useAction(async () => setLines(await readAll()))
  useEffect(() => {
    if (lines.length < lineCount && lineCount <= LINES_AT_ONCE) void load.run()
  }, [name])
  if (lines.length === 0) return null
  if (total === undefined)
    return (
      <div class="approval-table">
        <LineTable lines={lines} currency={currency} />
      </div>
    )
  const isWhole = lines.length >= lineCount
  const [refused, ordered] = [lines.filter(isRefused), lines.filter((line) => !isRefused(line))]
  // What the lines do not tell: whole cases are bought, or the delivery costs something.
  const rest = total - (unorderable?.total ?? 0) - sumOf(ordered)
  return (
    <div class="approval-table">
      <div class="line approval-sum">
        <strong>{t.willOrder}</strong>
        <strong class="line">
          <Money amount={total - (unorderable?.total ?? 0)} currency={currency} />
          {lineCount > FEW ? <ExportButton name={name} columns={fileColumns(currency)} load={readAll} /> : null}
        </strong>
      </div>
      <Groups lines={ordered} currency={currency} isOpen={lineCount <= FEW} />
      {isWhole && rest !== 0 ? (
        <p class="line approval-rest">
          <span>{ordered.some(({ location }) => location !== undefined) ? t.table.wholeCases : t.table.charges}</span>
          <Money amount={rest} currency={currency} />
        </p>
      ) : null}
      {isWhole ? null : (
        <p class="line approval-rest">
          <button type="button" class="linklike" disabled={load.busy} onClick={() => void load.run()}>
            {t.table.showAll(lineCount)}
          </button>
          {rest > 0 ? <span class="faint">{t.table.rest(money(rest, currency))}</span> : null}
        </p>
      )}
      {load.error === undefined ? null : <Failure error={load.error} compact />}
      {unorderable ? (
        <>
          <div class="line approval-sum warn">
            <strong>{t.cannotOrder}</strong>
            <strong>
              <Money amount={unorderable.total} currency={currency} />
            </strong>
          </div>
          <MachineLines name={t.noSupplier(unorderable.lines)} lines={refused} currency={currency} isMixed />
          <p class="approval-rest">
            <ButtonLink needs="confirmAliases" href="/links">
              {texts().pages.links}
            </ButtonLink>
          </p>
        </>
      ) : null}
    </div>
  )
}

const isRefused = ({ orderable }: ApprovalLine): boolean => orderable === false

interface LinesProps {
  readonly lines: Lines
  readonly currency: CurrencyCode
  /** Of several machines, which each line names. */
  readonly isMixed?: boolean
}

interface GroupsProps extends LinesProps {
  readonly isOpen?: boolean
}

function Groups({ lines, currency, isOpen = false }: GroupsProps) {
  if (lines.length === 0) return null
  if (lines.every(({ location }) => location === undefined)) return <LineTable lines={lines} currency={currency} />
  return (
    <>
      {byMachine(lines).map(([machine, group]) => (
        <MachineLines key={machine} name={machine} lines={group} currency={currency} isOpen={isOpen} />
      ))}
    </>
  )
}

/** Its lines are drawn when they are looked at: a run may have thousands. */
function MachineLines({ name, isOpen: isOpenFirst = false, ...of }: GroupsProps & { readonly name: string }) {
  const t = texts().approvals.table
  const { lines, currency } = of
  const [isOpen, setIsOpen] = useState(isOpenFirst)
  const empty = lines.filter(({ stock }) => stock === 0).length
  const units = lines.reduce((sum, { quantity = 0 }) => sum + quantity, 0)
  return (
    <details class="machine-lines" open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <span class="strong">{name}</span>
        <span class="faint">
          {t.brings(units, lines.length)}
          {empty > 0 ? <span class="toned bad"> · {t.empty(empty)}</span> : null}
        </span>
        <span class="number">{money(sumOf(lines), currency)}</span>
      </summary>
      {isOpen ? <LineTable {...of} /> : null}
    </details>
  )
}

function LineTable({ lines, currency, isMixed = false }: LinesProps) {
  const t = texts().approvals.table
  const amount = (value: number | undefined) => value !== undefined && <Money amount={value} currency={currency} />
  const isPriceChange = lines.some(({ previous_price: previous }) => previous !== undefined)
  const hasStock = lines.some(({ stock }) => stock !== undefined)
  const sold: Column<ApprovalLine> = {
    title: t.sold,
    isNumber: true,
    cell: ({ sales_per_day: perDay }) => perDay !== undefined && rate(perDay),
  }
  return (
    <DataTable
      class={isPriceChange ? '' : 'lines'}
      rows={lines}
      keyOf={({ sku_id: sku, location = '' }) => `${sku} ${location}`}
      columns={[
        {
          title: words().product,
          cell: ({ title, location_name: machine }) => (
            <>
              {title}
              {isMixed && machine ? <p class="faint">{machine}</p> : null}
            </>
          ),
        },
        hasStock && { title: words().stock, isNumber: true, cell: levelCell },
        hasStock && { title: t.daysLeft, isNumber: true, cell: daysCell },
        hasStock && sold,
        isPriceChange
          ? { title: words().priceNow, isNumber: true, cell: (line) => amount(line.previous_price) }
          : {
              title: words().quantity,
              isNumber: true,
              cell: ({ quantity = 0, unit }) => (unit === 'BX' ? t.boxes(quantity) : quantity),
            },
        isPriceChange
          ? { title: t.next, isNumber: true, cell: (line) => <NewPrice line={line} currency={currency} /> }
          : { title: t.price, isNumber: true, cell: ({ price }) => amount(price) },
        !isPriceChange && { title: t.total, isNumber: true, cell: ({ total }) => amount(total) },
        !hasStock && sold,
      ]}
    />
  )
}

/** `1 → 12`: before and after. */
const levelCell = ({ stock, quantity = 0 }: ApprovalLine) =>
  stock !== undefined && (
    <>
      <span class={stock === 0 ? 'toned bad' : 'faint'}>{count(stock)}</span> → {count(stock + quantity)}
    </>
  )

const daysCell = ({ stock, days_left: left }: ApprovalLine) =>
  typeof left === 'number' &&
  stock !== undefined && (
    <span class={stock === 0 ? 'toned bad' : left < SOON_DAYS ? 'toned warn' : ''}>{decimal(left)}</span>
  )

function NewPrice({ line: { previous_price: previous = 0, price }, currency }: NewPriceProps) {
  const percent = previous === 0 ? 0 : Math.round((100 * (price - previous)) / previous)
  return (
    <>
      <strong>{money(price, currency)}</strong>
      {percent === 0 ? null : <span class="faint"> {`${percent > 0 ? '+' : '−'}${Math.abs(percent)}%`}</span>}
    </>
  )
}

interface NewPriceProps {
  readonly line: ApprovalLine
  readonly currency: CurrencyCode
}

function fileColumns(currency: CurrencyCode) {
  const t = texts().approvals
  const decimals = (value: number | undefined) => (value === undefined ? '' : amountText(value, currency))
  return [
    { title: words().machine, value: (line: ApprovalLine) => line.location_name ?? line.location },
    { title: words().product, value: (line: ApprovalLine) => line.title },
    { title: 'ID', value: (line: ApprovalLine) => line.sku_id },
    { title: words().stock, value: (line: ApprovalLine) => line.stock },
    { title: t.table.daysLeft, value: (line: ApprovalLine) => line.days_left },
    { title: t.table.sold, value: (line: ApprovalLine) => line.sales_per_day },
    { title: words().quantity, value: (line: ApprovalLine) => line.quantity },
    { title: t.table.price, value: (line: ApprovalLine) => decimals(line.price) },
    { title: t.table.total, value: (line: ApprovalLine) => decimals(line.total) },
    { title: t.cannotOrder, value: (line: ApprovalLine) => (isRefused(line) ? 1 : 0) },
  ]
}
