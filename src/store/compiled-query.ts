/**
 * Statements whose text never changes. The query builder writes the text once per database, at the first use; from then on
 * only the values are filled in. On the way of every purchase building the text would cost more than running it.
 */
import type { CompiledQuery, QueryResult } from 'kysely'
import type { Queryable } from './store.ts'

/** Stands where a value goes while the text is written. */
class Blank {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

interface Written<R> {
  readonly query: CompiledQuery<R>
  readonly names: number
  /** What goes into each parameter: one of the caller's values, or always the same. */
  readonly parameters: readonly unknown[]
}

type Statement<V, R> = (db: Queryable, values: V) => Promise<QueryResult<R>>

/** `write` sees blanks in place of values, so it must not look at them; every use brings values of the same names. */
export function compiledQuery<V extends object, R>(
  write: (db: Queryable, blanks: V) => { compile(): CompiledQuery<R> },
): Statement<V, R> {
  const texts = new WeakMap<object, Written<R>>()

  function written(db: Queryable, values: V): Written<R> {
    const { adapter } = db.getExecutor()
    const known = texts.get(adapter)
    if (known) return known
    const names = Object.keys(values)
    const query = write(db, Object.fromEntries(names.map((name) => [name, new Blank(name)])) as V).compile()
    const fresh = { query, names: names.length, parameters: query.parameters }
    texts.set(adapter, fresh)
    return fresh
  }

  return (db, values) => {
    // A plugin may want another text each time.
    if (db.getExecutor().plugins.length > 0) return db.executeQuery(write(db, values).compile())
    const { query, names, parameters } = written(db, values)
    if (Object.keys(values).length !== names) throw new Error('a fixed statement takes the values it was written for')
    const filled = parameters.map((each) => (each instanceof Blank ? values[each.name as keyof V] : each))
    return db.executeQuery({ ...query, parameters: filled })
  }
}

/** Whether a fixed update found what it was to change. */
export const hasAffectedRows = ({ numAffectedRows = 0n }: { readonly numAffectedRows?: bigint }): boolean =>
  numAffectedRows > 0n
