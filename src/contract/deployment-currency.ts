/**
 * The contract of one deployment: every currency in it is the deployment's, so a request that names another is refused like
 * any other value that is not allowed.
 */
import type { TSchema } from 'typebox'
import type { CurrencyCode } from '../kernel/currency.ts'
import { CURRENCY_TITLE } from './common.ts'
import { oneOf } from './schema-helpers.ts'

const bound = new WeakMap<TSchema, Map<CurrencyCode, TSchema>>()

/**
 * A schema with the deployment's code in place of any ISO 4217 code. Parts without a currency stay the same objects, and
 * the same schema gives the same object each time: a validator is compiled once per object.
 */
export function withCurrency<S extends TSchema>(schema: S, currency: CurrencyCode): S {
  const known = bound.get(schema) ?? new Map<CurrencyCode, TSchema>()
  bound.set(schema, known)
  const own = known.get(currency) ?? (replaceCurrency(schema, oneOf([currency])) as TSchema)
  known.set(currency, own)
  return own as S
}

function replaceCurrency(value: unknown, own: TSchema): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Reflect.get(value, 'title') === CURRENCY_TITLE) return own
  if (Array.isArray(value)) {
    const items = value.map((item) => replaceCurrency(item, own))
    return items.every((item, i) => item === value[i]) ? value : items
  }
  const changed = Object.entries(value).flatMap(([key, inner]) => {
    const replaced = replaceCurrency(inner, own)
    return replaced === inner ? [] : [[key, replaced] as const]
  })
  if (changed.length === 0) return value
  // Typebox marks its schemas with properties that are not enumerable; they stay.
  const copy: object = Object.create(
    Object.getPrototypeOf(value) as object | null,
    Object.getOwnPropertyDescriptors(value),
  )
  for (const [key, replaced] of changed) Reflect.set(copy, key, replaced)
  return copy
}
