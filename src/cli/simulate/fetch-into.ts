/** A `fetch` that walks straight into a server of this process: every check of a request, no socket. */
import type { Assembled } from '../../assemble.ts'

export function fetchInto(server: Pick<Assembled['server'], 'inject'>): typeof fetch {
  const answer = async (url: string, init: RequestInit = {}) => {
    const told = await server.inject({
      method: (init.method ?? 'GET') as 'GET',
      url,
      headers: init.headers as Record<string, string>,
      ...(typeof init.body === 'string' ? { payload: init.body } : {}),
    })
    return new Response(told.body, { status: told.statusCode, headers: told.headers as Record<string, string> })
  }
  return answer as typeof fetch
}
