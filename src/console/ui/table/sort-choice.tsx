/** On a phone there are no column heads to tap, so the sort order is chosen from a list. */
import { texts } from '../../lib/text/i18n.ts'
import { Select } from '../form/field.tsx'

export interface Sort {
  /** Empty: as the rows come. */
  readonly by: string
  readonly down: boolean
}

interface Props {
  readonly options: readonly (readonly [name: string, title: string])[]
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
}

export function SortChoice({ options, sort, onSort }: Props) {
  const t = texts().table
  return (
    <span class="sort-choice">
      <Select label={t.sortBy} value={sort.by} onChange={(by) => onSort({ by, down: sort.down })} options={options} />
      {sort.by === '' ? null : (
        <button
          type="button"
          aria-label={sort.down ? t.descending : t.ascending}
          onClick={() => onSort({ by: sort.by, down: !sort.down })}
        >
          {sort.down ? '↓' : '↑'}
        </button>
      )}
    </span>
  )
}
