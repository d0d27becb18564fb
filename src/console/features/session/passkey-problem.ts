/** Why this page cannot use passkeys; undefined when it can. */
export type PasskeyProblem = 'insecure' | 'number' | 'unsupported'

export function passkeyProblem(): PasskeyProblem | undefined {
  if (!globalThis.isSecureContext) return 'insecure'
  // Browsers make passkeys for names only.
  if (/^[\d.]+$|^\[/.test(location.hostname)) return 'number'
  return 'PublicKeyCredential' in globalThis ? undefined : 'unsupported'
}
