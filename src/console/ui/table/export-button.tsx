/** Saves a table as a CSV file: the rows on the page, or all of them where the page shows only the first. */
import { useAction } from '../../lib/service/action.ts'
import { type CsvValue, csvName, downloadCsv } from '../../lib/text/csv.ts'
import { today } from '../../lib/text/format.ts'
import { words } from '../../lib/text/i18n.ts'
import { Button } from '../button.tsx'
import { Failure } from '../loaded.tsx'

export interface ExportColumn<T> {
  readonly title: string
  readonly value: (row: T) => CsvValue
}

interface Props<T> {
  /** The name of the table, which is that of the file. */
  readonly name: string
  readonly columns: readonly ExportColumn<T>[]
  readonly load: () => readonly T[] | Promise<readonly T[]>
}

export function ExportButton<T>({ name, columns, load }: Props<T>) {
  const text = words().csvOf(name)
  const save = useAction(async () => {
    const rows = await load()
    downloadCsv(csvName(name, today()), [
      columns.map(({ title }) => title),
      ...rows.map((row) => columns.map(({ value }) => value(row))),
    ])
  })
  return (
    <>
      <span class="export">
        <Button kind="quiet" small icon="download" aria-label={text} title={text} action={save} />
      </span>
      {save.error === undefined ? null : <Failure error={save.error} compact />}
    </>
  )
}
