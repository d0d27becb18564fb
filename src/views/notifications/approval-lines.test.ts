import { expect, test } from 'vitest'
import { approvalLines } from './approval-lines.ts'

const line = (i: number) => ({ sku_id: `acme-machine:G${i}`, title: `G${i}`, previous_price: 300, price: 350 })

test('a price change shows old and new prices, at most ten of them, and how many are left out', () => {
  const details = {
    currency: 'CNY',
    subject_status: 'pending',
    location: 'M1',
    location_name: 'Hall',
    line_count: 12,
    lines: Array.from({ length: 12 }, (_, i) => ({ ...line(i), sales_per_day: 1.26 })),
  } as const
  const english = approvalLines(details, 'en')
  expect(english.slice(0, 2)).toEqual(['Machine: Hall', '- G0, ¥3.00 → ¥3.50, sells 1.3 a day'])
  expect(english).toHaveLength(12)
  expect(english.at(-1)).toBe('… and 2 more lines')
  expect(approvalLines(details, 'zh').slice(0, 2)).toEqual(['机器：Hall', '- G0，¥3.00 → ¥3.50，日均销量 1.3'])
})
