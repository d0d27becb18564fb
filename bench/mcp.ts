/** A tool call beside the same call over REST, and the list of tools. */
import { rps, shoot, sideBySide, table, us, verdict } from './harness.ts'
import type { Shot } from './harness.ts'
import { BEARER, startService } from './subject.ts'

const WARM_UP = 10_000
/** CPU of `tools/call` by that of the REST call with the same answer. */
const RATIO_MAX = 1.3
const SESSIONS = '/ucp/v1/checkout-sessions'
const DESTINATION = { street_address: '上海市浦东新区张江路 88 号', first_name: '王', phone_number: '13800000000' }
const BASKET = {
  line_items: [1, 2, 3].map((n) => ({ item: { id: `acme-supply:SP${n}` }, quantity: n })),
  fulfillment: { methods: [{ type: 'shipping', destinations: [DESTINATION] }] },
}

const message = (method: string, params: object): Shot => ({
  method: 'POST',
  path: '/ucp/mcp',
  body: { jsonrpc: '2.0', id: 1, method, params },
})

export async function mcp({ amount = 1200, rounds = 21 } = {}): Promise<void> {
  const service = await startService({ products: 100 })
  const created = await fetch(service.url + SESSIONS, {
    method: 'POST',
    headers: { ...BEARER, 'content-type': 'application/json' },
    body: JSON.stringify(BASKET),
  })
  const { id } = (await created.json()) as { id: string }
  const rest: Shot = { path: `${SESSIONS}/${id}` }
  const call = message('tools/call', { name: 'get_checkout', arguments: { id } })
  const list = message('tools/list', {})
  for (const shot of [rest, call]) await shoot(service, shot, WARM_UP, BEARER)
  const { ours, other, ratio } = await sideBySide(
    () => shoot(service, call, amount, BEARER),
    () => shoot(service, rest, amount, BEARER),
    rounds,
  )
  const listed = await shoot(service, list, amount, BEARER)
  table(
    'MCP beside REST',
    ['request', 'CPU', 'per second', 'CPU by REST'],
    [
      ['GET checkout session', us(other), rps(other), ''],
      ['tools/call get_checkout', us(ours), rps(ours), `${ratio.toFixed(2)} ${verdict(ratio, RATIO_MAX)}`],
      ['tools/list, 50 KB', us(listed), rps(listed), ''],
    ],
  )
  await service.stop()
}

if (import.meta.main) await mcp()
