/** A model in the place of the built-in operator, as the environment names it: `anthropic:claude-sonnet-4-5`. Pure. */

export interface ModelName {
  readonly protocol: 'anthropic' | 'openai'
  readonly model: string
  /** Without a slash at its end. */
  readonly url: string
}

/** A model may have a version after an at sign; an address is no version. */
const FORM = /^(anthropic|openai):([^\s@]+(?:@[\w.-]+)*)(?:@(https?:\/\/[^\s]+?))?\/*$/
const ANTHROPIC_URL = 'https://api.anthropic.com'

/** Undefined where the text is none. */
export function parseModelName(text: string): ModelName | undefined {
  const [, protocol, model = '', stated] = FORM.exec(text) ?? []
  const url = stated ?? (protocol === 'anthropic' ? ANTHROPIC_URL : undefined)
  if (url === undefined || !URL.canParse(url)) return undefined
  return { protocol: protocol === 'anthropic' ? 'anthropic' : 'openai', model, url }
}

/** Of tokens, of money, or prices of a million tokens: two whole numbers. */
export type Pair = readonly [first: number, second: number]

export function parsePair(text: string): Pair | undefined {
  const [whole, first, second] = /^(\d{1,12}),(\d{1,12})$/.exec(text.replaceAll(' ', '')) ?? []
  return whole === undefined ? undefined : [Number(first), Number(second)]
}

export interface ModelSettings extends ModelName {
  readonly key: string | undefined
  readonly keyFile: string | undefined
  /** Of one request. */
  readonly timeoutMs: number
  /** Before a request that failed is sent again, where the endpoint does not say. */
  readonly retryMs: number
  /** Minor units for a million tokens; undefined: not known, and then neither is the cost. */
  readonly prices: { readonly input: number; readonly output: number } | undefined
  /** Input and output together. */
  readonly tokensMax: { readonly shift: number; readonly day: number }
  /** Minor units; without prices they bind nothing. */
  readonly costMax: { readonly shift: number; readonly day: number }
}
