/** What an approval is about, line by line, for a message: the same table as on the page, shortened. Pure. */
import type { ApprovalDetails, ApprovalLine } from '../../contract/shapes/approval.ts'
import { formatAmount } from '../../kernel/currency.ts'
import type { Language } from './texts.ts'

const LINES_MAX = 10

const WORDS = {
  en: {
    supplier: (name: string) => `Supplier: ${name}`,
    machine: (name: string) => `Machine: ${name}`,
    total: (amount: string) => `Total: ${amount}`,
    boxes: (count: number) => (count === 1 ? '1 box' : `${count} boxes`),
    sold: (perDay: number) => `sells ${perDay} a day`,
    more: (count: number) => `… and ${count} more lines`,
    part: ', ',
  },
  zh: {
    supplier: (name: string) => `供应商：${name}`,
    machine: (name: string) => `机器：${name}`,
    total: (amount: string) => `合计：${amount}`,
    boxes: (count: number) => `${count} 箱`,
    sold: (perDay: number) => `日均销量 ${perDay}`,
    more: (count: number) => `……以及另外 ${count} 项`,
    part: '，',
  },
} as const

export function approvalLines(details: ApprovalDetails, language: Language): readonly string[] {
  const words = WORDS[language]
  const { currency, supplier, location, location_name: machine = location, total, line_count: count } = details
  const money = (amount: number) => formatAmount(amount, currency)
  const describe = (line: ApprovalLine): string => {
    const { title, location_name: place, quantity, unit, previous_price: before, price, total: sum } = line
    const sold = line.sales_per_day
    return [
      place === undefined ? title : `${place}: ${title}`,
      before === undefined ? undefined : `${money(before)} → ${money(price)}`,
      quantity === undefined ? undefined : `${unit === 'BX' ? words.boxes(quantity) : quantity} × ${money(price)}`,
      sum === undefined || quantity === 1 ? undefined : `= ${money(sum)}`,
      sold === undefined ? undefined : words.sold(Math.round(sold * 10) / 10),
    ]
      .filter((part) => part !== undefined)
      .join(words.part)
  }
  const shown = details.lines.slice(0, LINES_MAX)
  return [
    ...(supplier === undefined ? [] : [words.supplier(supplier)]),
    ...(machine === undefined ? [] : [words.machine(machine)]),
    ...shown.map((line) => `- ${describe(line)}`),
    ...(count > shown.length ? [words.more(count - shown.length)] : []),
    ...(total === undefined ? [] : [words.total(money(total))]),
  ]
}
