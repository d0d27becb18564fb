import { w } from '../lib/i18n.ts'
import { query, setQuery } from '../lib/router.ts'

/** The way on from a list that its own filters have emptied. */
export const ClearFilters = ({ of }: { readonly of: readonly string[] }) =>
  of.some((name) => query(name) !== '') ? (
    <button
      type="button"
      class="linklike"
      onClick={() => setQuery(Object.fromEntries(of.map((name) => [name, undefined])))}
    >
      {w().clearFilters}
    </button>
  ) : null
