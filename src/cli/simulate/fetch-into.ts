/** A `fetch` that injects requests into a server of this process: all checks of a request, no socket. */
import type { Assembled } from '../../assemble.ts'

export function fetchInto(server: Pick<Assembled['server'], 'inject'>): typeof fetch {
  const fetchFromServer = async (url: string, init: RequestInit = {}) => {
    const response = await server.inject({
      method: (init.method ?? 'GET') as 'GET',
      url,
      headers: init.headers as Record<string, string>,
      ...(typeof init.body === 'string' ? { payload: init.body } : {}),
    })
    return new Response(response.body, {
      status: response.statusCode,
      headers: response.headers as Record<string, string>,
    })
  }
  return fetchFromServer as typeof fetch
}
