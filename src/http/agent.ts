/** `UCP-Agent` (RFC 8941 dictionary, key `profile`): recorded, never verified and never a reason to refuse. */
import { parseDictionary, Token } from 'structured-headers'
import { AGENT_MAX } from '../contract/limits.ts'

export function agentProfile(header: string | undefined): string | undefined {
  if (header === undefined || header === '') return undefined
  const raw = header.slice(0, AGENT_MAX)
  try {
    const profile = parseDictionary(raw).get('profile')?.[0]
    if (typeof profile === 'string') return profile
    if (profile instanceof Token) return profile.toString()
  } catch {
    // What cannot be read is recorded as it came.
  }
  return raw
}
