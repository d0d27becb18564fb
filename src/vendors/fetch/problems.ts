/** Why a mailbox or an SFTP folder cannot be read, in a sentence for its owner. */

/** For a person: the thread ends with it, and the next round tries again. */
export class FetchProblem extends Error {}

interface Failure {
  readonly code?: unknown
  readonly message?: unknown
  readonly level?: unknown
  readonly authenticationFailed?: unknown
}

export function describeFailure(failure: unknown, where: string): string {
  if (failure instanceof FetchProblem) return failure.message
  const { code, message, level, authenticationFailed } = (failure ?? {}) as Failure
  const text = typeof message === 'string' ? message : ''
  if (authenticationFailed === true || level === 'client-authentication')
    return `${where} refuses the user, the password or the key`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The host ${where} is not known`
  if (code === 'ECONNREFUSED') return `${where} refuses connections at this port`
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return `${where} cannot be reached`
  if (isCertificateProblem(code, text)) return `The certificate of ${where} is not valid, so nothing is read: ${text}`
  if (/STARTTLS|TLS is required|wrong version number/i.test(text) || code === 'EPROTO')
    return `${where} offers no encryption (TLS) at this port, so nothing is read`
  if (level === 'client-timeout' || /time-?d? ?out/i.test(`${String(code)} ${text}`))
    return `${where} does not answer in time`
  return `${where} broke off or sent something that cannot be read`
}

const isCertificateProblem = (code: unknown, text: string): boolean =>
  (typeof code === 'string' && /CERT|ALTNAME|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) || /certificate/i.test(text)
