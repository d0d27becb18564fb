/**
 * The `check` of an adapter module over a schema. Objects need `additionalProperties: false` to refuse unknown members.
 * `rules` names what a schema cannot say. They also see settings with mistakes, without the members that are wrong, so that
 * all problems are named at once; what they say about a wrong member is left out.
 */
import { type Static, type TSchema, Type } from 'typebox'
import { type Problem, text, validator } from '../lib/validator.ts'
import { isFields } from './upstream/read-json.ts'
import type { CheckedSettings } from './adapter-module.ts'

/** Options of an object that refuses unknown members. */
export const strict = { additionalProperties: false, expected: 'an object' }
export const filledText = () => text('text', (value) => value.trim() !== '')
export const optionalText = () => Type.Optional(filledText())
/** What can be sent in a header. */
export const secret = () => text('text without blanks', (value) => /^[\x21-\x7e]+$/.test(value))
export const flag = () => Type.Optional(Type.Boolean({ expected: 'true or false' }))

export function settingsCheck<S extends TSchema>(
  schema: S,
  rules: (settings: Partly<Static<S>>) => readonly string[] = () => [],
): (settings: unknown) => CheckedSettings<Static<S>> {
  const validate = validatorOf(schema)
  return (settings) => {
    const result = validate(settings)
    if (result.ok) {
      const problems = rules(result.value as Partly<Static<S>>)
      return problems.length === 0 ? { ok: true, settings: result.value } : { ok: false, problems }
    }
    const wrong = result.problems.map(({ path }) => path.join('.'))
    const isAboutWrong = (problem: string) =>
      wrong.some((path) => problem.startsWith(`${path} `) || problem.startsWith(`${path}.`))
    const more = isFields(settings) ? rules(withoutWrong(settings, result.problems) as Partly<Static<S>>) : []
    return {
      ok: false,
      problems: [
        ...result.problems.map((problem) => [problem.path.join('.'), problem.text].join(' ').trim()),
        ...more.filter((problem) => !isAboutWrong(problem)),
      ],
    }
  }
}

/** A schema takes 40 ms to compile, and settings are checked with every file that somebody brings. */
const validators = new WeakMap<TSchema, ReturnType<typeof validator>>()

function validatorOf<S extends TSchema>(schema: S): ReturnType<typeof validator<S>> {
  const known = validators.get(schema) ?? validator(schema)
  validators.set(schema, known)
  return known as ReturnType<typeof validator<S>>
}

/** Settings that may lack anything. */
export type Partly<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: Partly<T[K]> }
    : T

/** A copy without the members that problems name. A list with a wrong entry is left out as a whole. */
function withoutWrong(settings: object, problems: readonly Problem[]): unknown {
  const copy = structuredClone(settings)
  for (const { path } of problems) {
    let holder: unknown = copy
    for (const [i, name] of path.entries()) {
      if (!isFields(holder)) break
      const value: unknown = holder[name]
      if (i === path.length - 1 || !isFields(value)) delete (holder as Record<string, unknown>)[name]
      holder = value
    }
  }
  return copy
}
