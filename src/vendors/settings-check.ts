/** The `check` of an adapter module over a schema. Objects need `additionalProperties: false` to refuse unknown members. */
import type { Static, TSchema } from 'typebox'
import { validator } from '../lib/validator.ts'
import type { CheckFailure } from './adapter-module.ts'

export function settingsCheck<S extends TSchema>(
  schema: S,
): (settings: unknown) => { readonly ok: true; readonly settings: Static<S> } | CheckFailure {
  const validate = validator(schema)
  return (settings) => {
    const result = validate(settings)
    if (result.ok) return { ok: true, settings: result.value }
    return { ok: false, problems: result.problems.map(({ path, text }) => [path.join('.'), text].join(' ').trim()) }
  }
}
