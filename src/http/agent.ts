/** The `UCP-Agent` header (RFC 8941 dictionary, key `profile`): recorded, never verified, never a reason to refuse. */
import type { FastifyRequest } from 'fastify'
import { parseDictionary, Token } from 'structured-headers'
import { AGENT_MAX } from '../contract/limits.ts'

function parseAgent(header: string | undefined): string | undefined {
  if (header === undefined || header === '') return undefined
  const raw = header.slice(0, AGENT_MAX)
  try {
    const profile = parseDictionary(raw).get('profile')?.[0]
    if (typeof profile === 'string') return profile
    if (profile instanceof Token) return profile.toString()
  } catch {
    // Recorded as it came.
  }
  return raw
}

export function agentOf(request: FastifyRequest): string | undefined {
  const header = request.headers['ucp-agent']
  return header === undefined ? undefined : parseAgent(Array.isArray(header) ? header[0] : header)
}
