/** What a DEX file would become, for a trial before it is used: the selections and their counters. */
import { rfc3339 } from '../../kernel/clock.ts'
import { formatAmount } from '../../kernel/currency.ts'
import { count } from '../../kernel/text.ts'
import { type Preview, refusedPreview } from '../adapter-module.ts'
import { sizeProblem } from '../sheet/price-list/list-file.ts'
import { type DexFile, type FileSettings, readDexFile } from './file-reading.ts'
import { BYTES_MAX } from './folder.ts'
import { findNewMachines } from './new-machines.ts'
import { readPlanogram } from './planogram.ts'
import type { EvaDtsSettings } from './settings.ts'

/** `2026-11-11 07:10`, as the clock on the wall shows it. */
const minuteText = (at: number, timeZone: string): string => rfc3339(at, timeZone).slice(0, 16).replace('T', ' ')

export function previewDexFile(file: DexFile, settings: FileSettings): Preview {
  const refuse = (problem: string) => refusedPreview(`The file is refused: ${problem}`)
  const problem = sizeProblem(file.bytes.length, BYTES_MAX)
  if (problem !== undefined) return refuse(problem)
  const known = readDexFile(file, settings)
  const strangers = known.flatMap((outcome) => (outcome.ok ? [] : (outcome.stranger ?? [])))
  const added = findNewMachines(strangers, new Set(settings.machines.map((machine) => machine.location)))
  const entries = added.map(({ id, field, value }) => ({ location: id, [field]: value }))
  // Of a machine that is not listed yet the file is shown as it will be read once it is.
  const outcomes =
    added.length === 0 ? known : readDexFile(file, { ...settings, machines: [...settings.machines, ...entries] })
  const last = outcomes.findLast((outcome) => outcome.ok)
  if (!last) return refuse(outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.problem])).join('; '))
  const { location, at, reading, notices } = last.value
  const money = (amount: number | undefined) => (amount === undefined ? '' : formatAmount(amount, settings.currency))
  return {
    summary: [
      ...(added.length === 0 ? [] : [`New: ${added.map(({ name }) => name).join(', ')}. Add it to your machines`]),
      ...(outcomes.length > 1 ? [`${outcomes.length} readings, of which the last that can be used is shown`] : []),
      `A reading of ${location}, taken ${minuteText(at, settings.timeZone)}`,
      count(reading.selections.length, 'selection'),
      `${count(reading.total.count, 'vend')} since the start`,
      ...notices,
    ].join('; '),
    tables: [
      {
        title: 'selections',
        columns: ['selection', 'name', 'price', 'vends', 'value', 'level', 'capacity'],
        rows: reading.selections.map(({ code, name = '', price, sinceStart, level, capacity }) => [
          code,
          name,
          money(price),
          sinceStart === undefined ? 'unknown' : String(sinceStart.count),
          money(sinceStart?.value),
          level === undefined ? 'unknown' : String(level),
          capacity === undefined ? 'unknown' : String(capacity),
        ]),
      },
    ],
    leftOut: outcomes.flatMap((outcome, i) =>
      outcome.ok ? [] : [{ where: `reading ${i + 1}`, reason: outcome.problem }],
    ),
  }
}

export function previewPlanogram(
  bytes: Uint8Array,
  { planogram }: Pick<EvaDtsSettings, 'planogram'>,
  digits: number,
): Preview {
  const format = { encoding: 'utf-8', delimiter: ',', decimal: '.', ...planogram, digits } as const
  const read = readPlanogram(bytes, format)
  if (!read.ok) return refusedPreview(`The planogram is refused: ${read.problem}`)
  const rows = [...read.planogram].flatMap(([machine, selections]) =>
    [...selections.values()].map(({ selection, vendorSku, title, capacity }) => [
      machine,
      selection,
      vendorSku,
      title,
      capacity === undefined ? '' : String(capacity),
    ]),
  )
  return {
    summary: `${count(rows.length, 'selection')} of ${count(read.planogram.size, 'machine')}`,
    tables: [{ title: 'selections', columns: ['machine', 'selection', 'sku', 'title', 'capacity'], rows }],
    leftOut: read.problems.map((problem) => {
      const [where = '', reason = problem] = problem.split(/: (.*)/s)
      return { where, reason }
    }),
  }
}
