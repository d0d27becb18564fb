/**
 * Statements whose text never changes: the query builder compiles the text once per database, at the first use, and each
 * use only fills in the values. For the statements of a purchase, building the text costs more than running it.
 */
import type { CompiledQuery, QueryResult } from 'kysely'
import type { Queryable } from './store.ts'

/** Placeholder parameter, used while the query is compiled. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

interface Compiled<R> {
  readonly query: CompiledQuery<R>
  readonly valueCount: number
  /** A placeholder for one of the caller's values, or a constant. */
  readonly parameters: readonly unknown[]
}

type Statement<V, R> = (db: Queryable, values: V) => Promise<QueryResult<R>>

/** `build` gets placeholders in place of values, so it must not read them. Every use passes values of the same names. */
export function compiledQuery<V extends object, R>(
  build: (db: Queryable, values: V) => { compile(): CompiledQuery<R> },
): Statement<V, R> {
  const byAdapter = new WeakMap<object, Compiled<R>>()

  function compile(db: Queryable, values: V): Compiled<R> {
    const { adapter } = db.getExecutor()
    const known = byAdapter.get(adapter)
    if (known) return known
    const names = Object.keys(values)
    const query = build(db, Object.fromEntries(names.map((name) => [name, new Placeholder(name)])) as V).compile()
    const compiled = { query, valueCount: names.length, parameters: query.parameters }
    byAdapter.set(adapter, compiled)
    return compiled
  }

  return (db, values) => {
    // A plugin may produce another text each time.
    if (db.getExecutor().plugins.length > 0) return db.executeQuery(build(db, values).compile())
    const { query, valueCount, parameters } = compile(db, values)
    if (Object.keys(values).length !== valueCount)
      throw new Error('A compiled query takes exactly the values it was compiled for')
    const filled = parameters.map((each) => (each instanceof Placeholder ? values[each.name as keyof V] : each))
    return db.executeQuery({ ...query, parameters: filled })
  }
}

/** Whether a compiled insert, update or delete changed anything. */
export const hasAffectedRows = ({ numAffectedRows = 0n }: { readonly numAffectedRows?: bigint }): boolean =>
  numAffectedRows > 0n
