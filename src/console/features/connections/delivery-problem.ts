/** Why a webhook was not delivered, in the words of the reader: the service reports what the network or the receiver said. */
import type { Texts } from '../../locales/index.ts'

type Words = Texts['connections']['deliveryProblems']

/** By the code that the system reports, the first that matches. */
const CODES: readonly (readonly [RegExp, keyof Words])[] = [
  [/^(ENOTFOUND|EAI_\w+)$/, 'unknownName'],
  [/^(ECONNREFUSED)$/, 'refused'],
  [/^(ETIMEDOUT|ESOCKETTIMEDOUT|UND_ERR_\w*TIMEOUT)$/, 'slow'],
  [/^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/, 'unreachable'],
  [/^(ECONNRESET|EPIPE|ECONNABORTED)$/, 'brokenOff'],
  [/^(CERT_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+|ERR_TLS_CERT_\w+|HOSTNAME_MISMATCH|CRL_\w+)$/, 'certificate'],
  [/^(EPROTO|ERR_SSL_\w+|ERR_TLS_\w+)$/, 'noTls'],
  [/^HPE_\w+$/, 'notHttp'],
]

/** Sentences of the service. */
const SENTENCES: readonly (readonly [RegExp, keyof Words])[] = [
  [/^no reply within /, 'slow'],
  [/not public$|must have a public address$/, 'notPublic'],
  [/^the URL of the receiver /, 'badUrl'],
  [/^there is no signing key$/, 'noKey'],
  [/^the order is no longer on record$/, 'noOrder'],
  [/^the receiver is no longer configured$/, 'removed'],
  [/^the connection failed$/, 'failed'],
]

const isCode = (text: string): boolean => /^[A-Z][A-Z0-9_]+$/.test(text)
const findIn = (table: typeof CODES, text: string): keyof Words | undefined =>
  table.find(([pattern]) => pattern.test(text))?.[1]

/** The code stays behind the words, for whoever has to look it up. */
export function deliveryProblem(words: Words, text: string): string {
  const status = /^HTTP (\d+)$/.exec(text)?.[1]
  if (status !== undefined) return words.status.replace('{status}', status)
  if (isCode(text)) return `${words[findIn(CODES, text) ?? 'failed']} (${text})`
  const known = findIn(SENTENCES, text)
  return known === undefined ? text : words[known]
}
