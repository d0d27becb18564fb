/** Types by which the compiler compares the sentences of two languages. */

/** By code, the most telling first. */
export type Sentences = Readonly<Record<string, readonly string[]>>

/** The codes of the English table, no more and no fewer. */
export type SentencesLike<English extends Sentences> = { readonly [Code in keyof English]: readonly string[] }
export type WordsLike<English> = { readonly [Name in keyof English]: string }

/** The names of the values in a sentence: `total` and `n` of `{total} for {n:box|boxes}`. */
export type ValueNames<Sentence extends string> = Sentence extends `${string}{${infer Inside}}${infer Rest}`
  ? (Inside extends `${infer Name}:${string}` ? Name : Inside) | ValueNames<Rest>
  : never

/** Codes whose sentences in another language use a value that no English sentence of the code has. */
type Foreign<English extends Sentences, Other extends SentencesLike<English>> = {
  [Code in keyof English]: Exclude<ValueNames<Other[Code][number]>, ValueNames<English[Code][number]>> extends never
    ? never
    : Code
}[keyof English]

/** A table in both languages; for a code with a value of its own in Chinese it has no type that the table fits. */
export type Both<English extends Sentences, Chinese extends SentencesLike<English>> =
  Foreign<English, Chinese> extends never
    ? Readonly<Record<'en' | 'zh', SentencesLike<English>>>
    : { readonly valuesThatEnglishDoesNotHave: Foreign<English, Chinese> }

type WithoutOptional<Sentence extends string> = Sentence extends `${infer Before}[${string}]${infer After}`
  ? `${Before}${WithoutOptional<After>}`
  : Sentence

/** What has to be given so that one of the sentences can be written, besides values that are derived from others. */
export type NeededValues<Sentence extends string, Derived extends string, Value> = Sentence extends string
  ? Readonly<Record<Exclude<ValueNames<WithoutOptional<Sentence>>, Derived>, Value>>
  : never
