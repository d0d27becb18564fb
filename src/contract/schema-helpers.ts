/** The few ways a shape is written. The title names it: in the interface description it becomes a component. */
import { Type } from 'typebox'
import type { TProperties, TSchema } from 'typebox'

/** A shape we answer with. Closed, so that a field that leaked out of the inside fails a test. */
export const answer = <P extends TProperties>(title: string, properties: P) =>
  Type.Object(properties, { title, additionalProperties: false })

/** A shape we read. Open: what we do not know is ignored, never refused and never stored. */
export const request = <P extends TProperties>(title: string, properties: P) => Type.Object(properties, { title })

/** A list in an answer; read-only, so that a frozen record can be sent as it is. */
export const list = <T extends TSchema>(items: T) => Type.Immutable(Type.Array(items))

export const oneOf = <const V extends string[]>(
  values: readonly [...V],
  options: { title?: string; default?: V[number] } = {},
) => Type.Enum(values, { type: 'string', ...options })

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** A non-empty text of bounded length, in a request. */
export const text = (maxLength: number) => Type.String({ minLength: 1, maxLength })

/** An object whose members are somebody else's business. */
export const anything = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description })
