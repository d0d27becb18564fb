/**
 * The aliases of a namespace kept in memory for the hot reads of the catalog. They change rarely: what is kept is thrown
 * away when this process changes one, and at most a second after another process did.
 */
import { SECOND } from '../../kernel/clock.ts'
import type { Namespace, SkuId } from '../../kernel/ids.ts'
import { afterCommit } from '../../store/store.ts'
import type { Store, Tx } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { bySku } from './aliases.ts'
import type { Alias } from './aliases.ts'
import { aliasVersion, countAliasVersion, pairsIn } from './records.ts'

const CHECKED_EVERY_MS = SECOND

/** While nothing changes, the same object and the same lists come back: views can be kept by identity. */
export type AliasesBySku = ReadonlyMap<SkuId, readonly Alias[]>

class AliasBook {
  readonly #store: Store
  readonly #pages = new Map<Namespace, Promise<AliasesBySku>>()
  #version: number | undefined
  #checkedAt = Number.NEGATIVE_INFINITY

  constructor(store: Store) {
    this.#store = store
  }

  /** At once, also what is still being read: whoever was told of the change must find it. */
  forget(): void {
    this.#version = undefined
    this.#pages.clear()
  }

  async page(namespace: Namespace, now: number): Promise<AliasesBySku> {
    if (now - this.#checkedAt >= CHECKED_EVERY_MS || now < this.#checkedAt) {
      this.#checkedAt = now
      const version = await aliasVersion(this.#store.db)
      if (version !== this.#version) {
        this.#version = version
        this.#pages.clear()
      }
    }
    const known = this.#pages.get(namespace)
    if (known) return known
    const reading = pairsIn(this.#store.db, namespace).then(bySku)
    this.#pages.set(namespace, reading)
    // A page that could not be read is asked for again.
    reading.catch(() => this.#pages.get(namespace) === reading && this.#pages.delete(namespace))
    return reading
  }
}

const books = new WeakMap<Store, AliasBook>()

function bookOf(store: Store): AliasBook {
  const known = books.get(store) ?? new AliasBook(store)
  books.set(store, known)
  return known
}

export const loadAliases = (
  { store, clock }: Pick<Context, 'store' | 'clock'>,
  namespace: Namespace,
): Promise<AliasesBySku> => bookOf(store).page(namespace, clock.now())

/** Every change of an alias ends with this, in its transaction. */
export async function aliasesChanged(store: Store, tx: Tx): Promise<void> {
  await countAliasVersion(tx)
  afterCommit(tx, () => bookOf(store).forget())
}
