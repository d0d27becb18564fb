/** The planogram as rows that people state one by one, and back as the file that the adapter reads. */
import { stringify } from 'csv-stringify/sync'
import type { HostedSettings, PlannedRow } from '../adapter-module.ts'
import { type PlanogramFormat, readPlanogram } from './planogram.ts'

const COLUMNS = ['location', 'selection', 'sku', 'title', 'barcode', 'capacity', 'price'] as const

export const PLANOGRAM_ROWS: NonNullable<HostedSettings<unknown>['planogram']> = {
  read(bytes, settings, digits) {
    const format = formatOf(settings, digits)
    // What is written here is UTF-8, and would be read as something else.
    if (format.encoding !== 'utf-8') return { problem: `it is kept in ${format.encoding}` }
    if (!bytes) return { rows: [], problems: 0 }
    const read = readPlanogram(bytes, format)
    if (!read.ok) return { problem: read.problem }
    const rows = [...read.planogram].flatMap(([location, selections]) =>
      [...selections.values()].map(({ vendorSku: sku, ...row }): PlannedRow => ({ location, sku, ...row })),
    )
    return { rows, problems: read.problems.length }
  },
  write(rows, settings, digits) {
    const { delimiter, decimal } = formatOf(settings, digits)
    const amount = (price: number | undefined): string => {
      if (price === undefined) return ''
      const text = String(price).padStart(digits + 1, '0')
      return digits === 0 ? text : `${text.slice(0, -digits)}${decimal}${text.slice(-digits)}`
    }
    const cells = rows.map((row) => ({
      ...row,
      title: row.title.replaceAll(/[\r\n]+/g, ' '),
      price: amount(row.price),
    }))
    return Buffer.from(stringify(cells, { header: true, columns: [...COLUMNS], delimiter }), 'utf8')
  },
}

function formatOf(settings: Readonly<Record<string, unknown>>, digits: number): PlanogramFormat {
  const stated = (settings['planogram'] ?? {}) as Partial<PlanogramFormat>
  return { encoding: 'utf-8', delimiter: ',', decimal: '.', ...stated, digits }
}
