/** What an approval is about, line by line, for a message: the same table as on the page, shortened. Pure. */
import type { ApprovalDetails, ApprovalLine } from '../../contract/shapes/approval.ts'
import { formatAmount } from '../../kernel/currency.ts'
import { NOTICE_COMMA } from '../../texts/index.ts'
import { type Language, noticeLine } from './texts.ts'

const LINES_MAX = 10

export function approvalLines(details: ApprovalDetails, language: Language): readonly string[] {
  const say = (name: Parameters<typeof noticeLine>[1], value: string | number) => noticeLine(language, name, { value })
  const { currency, supplier, location, location_name: machine = location, total, line_count: count } = details
  const money = (amount: number) => formatAmount(amount, currency)
  const describe = (line: ApprovalLine): string => {
    const { title, location_name: place, quantity, unit, previous_price: before, price, total: sum } = line
    const sold = line.sales_per_day
    return [
      place === undefined ? title : `${place}: ${title}`,
      before === undefined ? undefined : `${money(before)} → ${money(price)}`,
      quantity === undefined ? undefined : `${unit === 'BX' ? say('boxes', quantity) : quantity} × ${money(price)}`,
      sum === undefined || quantity === 1 ? undefined : `= ${money(sum)}`,
      sold === undefined ? undefined : say('sold_per_day', Math.round(sold * 10) / 10),
    ]
      .filter((part) => part !== undefined)
      .join(NOTICE_COMMA[language])
  }
  const shown = details.lines.slice(0, LINES_MAX)
  return [
    ...(supplier === undefined ? [] : [say('supplier', supplier)]),
    ...(machine === undefined ? [] : [say('machine', machine)]),
    ...shown.map((line) => `- ${describe(line)}`),
    ...(count > shown.length ? [say('more_lines', count - shown.length)] : []),
    ...(total === undefined ? [] : [say('total', money(total))]),
  ]
}
