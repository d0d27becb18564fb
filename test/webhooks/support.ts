/** A service with one webhook target, and purchases to tell it of. */
import { DAY, MINUTE } from '../../src/kernel/clock.ts'
import { line, ready, start, WATER } from '../checkout/support.ts'
import { NOW } from '../support/service.ts'
import type { Service, ServiceOptions } from '../support/service.ts'
import { keysFile, newKey, startReceiver } from './receiver.ts'

export async function startWithTarget(
  more: object = {},
  kinds: readonly ('purchase' | 'sale')[] = ['purchase', 'sale'],
  options: ServiceOptions = {},
) {
  const receiver = await startReceiver()
  const keys = keysFile(newKey(NOW - DAY))
  const target = { id: 'platform', url: receiver.url, kinds, ...more }
  const service = await start({
    ...options,
    config: { webhookTargets: [target], signingKeysFile: keys.file, ...options.config },
  })
  const deliver = () => service.job('outbox order:platform')
  const list = async () => (await service.get('/webhooks')).body
  return { receiver, keys, service, deliver, list }
}

export async function buy(service: Service, headers: Record<string, string> = {}): Promise<string> {
  const id = await ready(service, { line_items: [line(WATER, 2, 'BX')] })
  await service.post(`/checkout-sessions/${id}/complete`, { confirm: true }, { headers })
  return id
}

/** The supplier reports a new state, and the job reads it. */
export async function report(service: Service, id: string, state: 'arrived' | 'cancelled'): Promise<void> {
  Object.assign(service.supply.orders.get(id) ?? {}, { state, rawStatus: 20, description: state })
  service.clock.advance(6 * MINUTE)
  await service.job('purchase-status')
}
