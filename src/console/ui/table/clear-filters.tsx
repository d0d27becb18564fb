import { texts } from '../../lib/text/i18n.ts'
import { query, setQuery } from '../../lib/router.ts'

/** Shown in a list that its own filters left empty. */
export const ClearFilters = ({ names }: { readonly names: readonly string[] }) =>
  names.some((name) => query(name) !== '') ? (
    <button
      type="button"
      class="linklike"
      onClick={() => setQuery(Object.fromEntries(names.map((name) => [name, undefined])))}
    >
      {texts().clearFilters}
    </button>
  ) : null
