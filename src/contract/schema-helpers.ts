/** Helpers to write schemas. A titled schema becomes a component of the OpenAPI document. */
import { type TProperties, type TSchema, Type } from 'typebox'

/** A schema of responses. Closed, so that an internal field that leaks out fails a test. */
export const answer = <P extends TProperties>(title: string, properties: P) =>
  Type.Object(properties, { title, additionalProperties: false })

/** A schema of requests. Open: unknown fields are ignored, neither refused nor stored. */
export const request = <P extends TProperties>(title: string, properties: P) => Type.Object(properties, { title })

/** A list in a response; read-only, so that a frozen record can be returned as it is. */
export const list = <T extends TSchema>(items: T) => Type.Immutable(Type.Array(items))

export const oneOf = <const V extends string[]>(
  values: readonly [...V],
  options: { title?: string; description?: string; default?: V[number] } = {},
) => Type.Enum(values, { type: 'string', ...options })

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** A non-empty string of bounded length, in requests. */
export const text = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, ...(description === undefined ? {} : { description }) })

/** An object with members that we do not interpret. */
export const anything = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description })
