/** What reading orders keeps in memory for one running service. */
import type { Context } from '../../context.ts'
import type { Namespace } from '../../kernel/ids.ts'

export interface Search {
  last: Promise<unknown>
  /** When a search last read everything it looks at without finding its sale. */
  endedAt: number | undefined
}

/** One search of a ledger at a time: what one reads, the next finds in the mirror. */
export class SaleSearches {
  readonly #byNamespace = new Map<Namespace, Search>()

  run<T>(namespace: Namespace, work: (search: Search) => Promise<T>): Promise<T> {
    const search = this.#byNamespace.get(namespace) ?? { last: Promise.resolve(), endedAt: undefined }
    this.#byNamespace.set(namespace, search)
    const running = search.last.then(() => work(search))
    search.last = running.catch(() => undefined)
    return running
  }
}

export interface OrdersContext extends Context {
  readonly saleSearches: SaleSearches
}

export const ordersContext = (ctx: Context): OrdersContext => ({ ...ctx, saleSearches: new SaleSearches() })
