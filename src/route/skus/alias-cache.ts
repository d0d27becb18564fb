/**
 * The aliases of each namespace in memory, for the hot reads of the catalog. They change rarely: the cache is cleared
 * when this process changes one, and at most a second after another process did.
 */
import { SECOND } from '../../kernel/clock.ts'
import type { Namespace, SkuId } from '../../kernel/ids.ts'
import { type Store, type Tx, afterCommit } from '../../store/store.ts'
import { type Alias, groupBySku } from './aliases.ts'
import { readAliasVersion, incrementAliasVersion, listPairsInNamespace } from './records.ts'

const VERSION_CHECK_MS = SECOND

/** While nothing changes, the same map and the same lists are returned, so callers may cache by identity. */
export type AliasesBySku = ReadonlyMap<SkuId, readonly Alias[]>

export class AliasCache {
  readonly #store: Store
  readonly #byNamespace = new Map<Namespace, Promise<AliasesBySku>>()
  #version: number | undefined
  #checkedAt = Number.NEGATIVE_INFINITY

  constructor(store: Store) {
    this.#store = store
  }

  async load(namespace: Namespace, now: number): Promise<AliasesBySku> {
    if (now - this.#checkedAt >= VERSION_CHECK_MS || now < this.#checkedAt) {
      this.#checkedAt = now
      const version = await readAliasVersion(this.#store.db)
      if (version !== this.#version) {
        this.#version = version
        this.#byNamespace.clear()
      }
    }
    const known = this.#byNamespace.get(namespace)
    if (known) return known
    const loading = listPairsInNamespace(this.#store.db, namespace).then(groupBySku)
    this.#byNamespace.set(namespace, loading)
    // After a failure the next call reads again.
    loading.catch(() => this.#byNamespace.get(namespace) === loading && this.#byNamespace.delete(namespace))
    return loading
  }

  /** Ends every transaction that changes an alias. Reads still under way are dropped too: they may hold the old state. */
  async invalidate(tx: Tx): Promise<void> {
    await incrementAliasVersion(tx)
    afterCommit(tx, () => {
      this.#version = undefined
      this.#byNamespace.clear()
    })
  }
}
