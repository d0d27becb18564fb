/**
 * Fills the sentence of a code. `{name}` is a value, `{name:unit}` a number with its unit in the singular
 * (`{n:box|boxes}` where the plural is irregular), and a part in `[…]` is left out when one of its values is missing or 0.
 */
export type SentenceValue = string | number | boolean | { readonly amount: number; readonly currency: string }
export type SentenceValues = Readonly<Record<string, SentenceValue>>

/** Undefined: it has no text in this language. */
export type ValueText = (name: string, value: SentenceValue) => string | undefined

const PLACEHOLDER = /\{(\w+)(?::([^|}]+)(?:\|([^}]+))?)?\}/g

/** Names come from the service and may be anything, `constructor` included. */
const valueOf = (values: SentenceValues, name: string): SentenceValue | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

/** Undefined when a value is missing, and in an optional part also when it is 0. */
function fillPart(part: string, values: SentenceValues, isOptional: boolean, textOf: ValueText): string | undefined {
  let isComplete = true
  const text = part.replaceAll(PLACEHOLDER, (_, name: string, one?: string, many?: string) => {
    const value = valueOf(values, name)
    const shown = value === undefined || (isOptional && value === 0) ? undefined : textOf(name, value)
    isComplete &&= shown !== undefined
    if (one === undefined) return shown ?? ''
    return `${shown} ${value === 1 ? one : (many ?? `${one}s`)}`
  })
  return isComplete ? text : undefined
}

/** Undefined when a value outside its brackets is missing. */
function fillSentence(sentence: string, values: SentenceValues, textOf: ValueText): string | undefined {
  // Odd parts are the optional ones, in brackets.
  const parts = sentence
    .split(/\[([^\]]*)\]/)
    .map((part, i) =>
      i % 2 === 1 ? (fillPart(part, values, true, textOf) ?? '') : fillPart(part, values, false, textOf),
    )
  return parts.includes(undefined) ? undefined : parts.join('')
}

/** The first whose values are all given. */
export function fillFirst(
  sentences: readonly string[] | undefined,
  values: SentenceValues,
  textOf: ValueText,
): string | undefined {
  for (const sentence of sentences ?? []) {
    const text = fillSentence(sentence, values, textOf)
    if (text !== undefined) return text
  }
  return undefined
}
