/** Validates what operators write (environment, rules file) against a schema, and names every problem at once. */
import { type ErrorObject, type ValidateFunction, Ajv } from 'ajv'
import { type Static, type TSchema, Type } from 'typebox'
import { demandText } from '../kernel/text.ts'

export interface Problem {
  /** Members from the outermost to the one that is wrong. */
  readonly path: readonly string[]
  /** Continues a sentence that starts with the last member: "must be …", "is missing". */
  readonly text: string
}

/** Each value says in `expected` what it must be; problems quote that. */
type Described = { readonly expected?: string }

export const integer = (minimum: number, maximum: number, options: object = {}) =>
  Type.Integer({ minimum, maximum, expected: `a whole number from ${minimum} to ${maximum}`, ...options })

export const oneOf = <const V extends string[]>(values: readonly [...V], options: object = {}) =>
  Type.Enum(values, { expected: `one of ${values.join(', ')}`, ...options })

/** A text that `isValid` accepts. */
export const text = (expected: string, isValid: (text: string) => boolean = () => true, options: object = {}) =>
  Type.String({ expected, isValid, ...options })

const LONGEST_NAME = 64

function toProblem(problem: ErrorObject): Problem {
  const { instancePath, keyword, params, parentSchema } = problem
  const path = instancePath.split('/').slice(1)
  if (keyword === 'required') return { path: [...path, params['missingProperty'] as string], text: 'is missing' }
  if (keyword === 'additionalProperties') {
    const name = (params['additionalProperty'] as string).slice(0, LONGEST_NAME)
    return { path, text: `has an unknown field ${JSON.stringify(name)}` }
  }
  const { expected } = (parentSchema ?? {}) as Described
  return { path, text: expected === undefined ? demandText(problem) : `must be ${expected}` }
}

/** One problem for each value: a value of the wrong type also fails its other checks. */
const withoutRepeats = (problems: readonly Problem[]): readonly Problem[] => [
  ...new Map(problems.map((problem) => [`${problem.path.join('/')} ${problem.text}`, problem])).values(),
]

export type Validated<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] }

export function validator<S extends TSchema>(schema: S): (value: unknown) => Validated<Static<S>> {
  let validate: ValidateFunction | undefined
  return (value) => {
    validate ??= compile(schema)
    return validate(value)
      ? { ok: true, value: value as Static<S> }
      : { ok: false, problems: withoutRepeats((validate.errors ?? []).map(toProblem)) }
  }
}

function compile(schema: TSchema): ValidateFunction {
  const ajv = new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true })
  ajv.addKeyword('expected')
  ajv.addKeyword({
    keyword: 'isValid',
    type: 'string',
    validate: (isValid: (text: string) => boolean, value: string) => isValid(value),
  })
  return ajv.compile(schema)
}
