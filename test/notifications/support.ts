/** A service with notification channels, and an approval to tell them of. */
import type { NotifySettings } from '../../src/views/notifications/settings.ts'
import { DAY, manualClock } from '../../src/kernel/clock.ts'
import { create, DEAR, start } from '../checkout/support.ts'
import { NOW } from '../support/service.ts'
import type { Service, ServiceOptions } from '../support/service.ts'
import { keysFile, newKey } from '../webhooks/receiver.ts'
import { SECRETS, startProviders } from './providers.ts'

export type Channel = NotifySettings['channels'][number]

export async function startWith(channelsOf: (origin: string) => readonly Channel[], options: ServiceOptions = {}) {
  const clock = manualClock(NOW)
  const providers = await startProviders(() => clock.now())
  const channels = channelsOf(providers.origin)
  const service = await start({
    clock,
    notify: { publicUrl: 'https://vend.example.com', channels },
    ...options,
    config: { signingKeysFile: keysFile(newKey(NOW - DAY)).file, ...options.config },
  })
  /** One look and one delivery. */
  const notify = async () => {
    await service.job('find-prompt-notices')
    await service.job('find-notices')
    for (const { name } of channels) await service.job(`outbox notify:${name}`)
  }
  return { service, providers, notify, clock }
}

export const SLACK = (origin: string): Channel => ({
  name: 'slack',
  type: 'slack',
  webhook: `${origin}/services/T/B/x`,
  signing_secret: SECRETS.slack,
  kinds: ['approval_waiting', 'approval_expiring', 'stop', 'rules_unreadable', 'machine_silent', 'delivery_overdue'],
})
export const FEISHU_APP = (origin: string): Channel => ({
  name: 'owner',
  type: 'feishu',
  language: 'zh',
  kinds: ['approval_waiting'],
  app: {
    id: 'cli_1',
    secret: 'app-secret',
    verification_token: SECRETS.feishuToken,
    encrypt_key: SECRETS.feishuEncryptKey,
    api: origin,
    chat_id: 'oc_ops',
  },
})

export async function waitingApproval(service: Service): Promise<{ session: string; approval: string }> {
  const { body } = await create(service, DEAR)
  return { session: body.id, approval: body.actions['com.example.vending.approval'][0].id }
}
