/** Notices that must not be held up: by others of the night, by a refusal, by a finder that fails, by their number. */
import { expect, test } from 'vitest'
import { engageKillSwitch, releaseKillSwitch } from '../../src/rules/guardrails/kill-switch.ts'
import { insertMessages } from '../../src/record/outbox/records.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/kernel/clock.ts'
import type { Service } from '../support/service.ts'
import { SECRETS } from './providers.ts'
import { SLACK, startWith, waitingApproval } from './support.ts'
import type { Channel } from './support.ts'

const insertNotices = (service: Service, channel: string, count: number) =>
  service.ctx.store.transaction((tx) =>
    insertMessages(
      tx,
      Array.from({ length: count }, (_, i) => ({
        channel: `notify:${channel}`,
        topic: `silent M${i}`,
        kind: 'machine_silent',
        isFirst: true,
        occurredAt: service.clock.now(),
        onceKey: `silent M${i}`,
        data: { subject: `M${i}` },
      })),
      service.clock.now(),
    ),
  )

const BOT = (origin: string): Channel => ({
  name: 'bot',
  type: 'feishu',
  webhook: `${origin}/open-apis/bot/v2/hook/abc`,
  secret: SECRETS.feishuBot,
  kinds: ['machine_silent', 'stop'],
})

test('in quiet hours hundreds of ordinary notices do not hold up an urgent one', async () => {
  const { service, providers, notify, clock } = await startWith((origin) => [
    { ...SLACK(origin), quiet: { from: '22:00', to: '07:00' } },
  ])
  clock.advance(15 * HOUR)
  await insertNotices(service, 'slack', 250)
  clock.advance(SECOND)
  await engageKillSwitch(service.ctx, { by: 'lin', reason: 'x' })
  await notify()
  expect(providers.accepted.map(({ body }) => body.text)).toEqual(['Emergency stop engaged by lin'])
  clock.advance(9 * HOUR)
  await notify()
  expect(providers.accepted.map(({ body }) => body.text).at(-1)).toMatch(/^No data from M0 and 199 more$/)
})

test('more notices than one statement can take are all written', async () => {
  const { service } = await startWith((origin) => [SLACK(origin)])
  await insertNotices(service, 'slack', 4200)
  const { count } = await service.ctx.store.db
    .selectFrom('outbox')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  expect(count).toBe(4200)
})

test('a finder that fails does not silence the others', async () => {
  const { service, providers, notify } = await startWith((origin) => [SLACK(origin)])
  await waitingApproval(service)
  await service.ctx.store.db.updateTable('decision').set({ params: 'not JSON' }).execute()
  await engageKillSwitch(service.ctx, { by: 'lin', reason: 'x' })
  await notify()
  expect(providers.accepted.map(({ body }) => body.text)).toEqual(['Emergency stop engaged by lin'])
  expect(service.log.filter(({ level }) => level === 'error')).not.toEqual([])
})

test.each([
  ['its rate limit', 11_232],
  ['our signature', 19_021],
])('a folded message that Feishu refuses for %s waits whole, and is sent once', async (_why, code) => {
  const { service, providers, notify, clock } = await startWith((origin) => [BOT(origin)])
  providers.feishuCode = code
  await insertNotices(service, 'bot', 6)
  for (let i = 0; i < 4; i += 1) {
    await notify()
    clock.advance(SECOND)
  }
  expect(providers.calls).toBe(1)
  providers.feishuCode = undefined
  clock.advance(MINUTE)
  await notify()
  expect(providers.accepted.map(({ body }) => body.card.header.title.content)).toEqual(['No data from M0 and 5 more'])
})

test('one notice that Feishu refuses for its content holds up no other', async () => {
  const { service, providers, notify } = await startWith((origin) => [BOT(origin)])
  providers.feishuCode = 19_024
  await insertNotices(service, 'bot', 1)
  await notify()
  providers.feishuCode = undefined
  await engageKillSwitch(service.ctx, { by: 'lin', reason: 'x' })
  await notify()
  expect(providers.accepted.map(({ body }) => body.card.header.title.content)).toEqual([
    'Emergency stop engaged by lin',
  ])
})

test('once our signature is repaired, what Feishu refused for it goes out at once, and not what it refused for its content', async () => {
  const { service, providers, notify } = await startWith((origin) => [BOT(origin)])
  const titles = () => providers.accepted.map(({ body }) => body.card.header.title.content)
  providers.feishuCode = 19_024
  await insertNotices(service, 'bot', 1)
  await notify()
  providers.feishuCode = 19_021
  await engageKillSwitch(service.ctx, { by: 'lin', reason: 'x' })
  await notify()
  expect(titles()).toEqual([])
  providers.feishuCode = undefined
  service.clock.advance(SECOND)
  await releaseKillSwitch(service.ctx, { by: 'root@host', reason: 'y' })
  // The new notice finds out that the receiver is back; the next round sends what waited.
  await notify()
  await notify()
  expect(titles()).toEqual(['Emergency stop released by root@host', 'Emergency stop engaged by lin'])
})

test.each([MINUTE, HOUR, DAY])(
  'the clock set back by %i ms does not hold up the notice of the emergency stop',
  async (backMs) => {
    const { service, providers, notify, clock } = await startWith((origin) => [SLACK(origin)])
    await engageKillSwitch(service.ctx, { by: 'lin', reason: 'x' })
    await service.job('find-prompt-notices')
    clock.set(clock.now() - backMs)
    await notify()
    expect(providers.accepted.map(({ body }) => body.text)).toEqual(['Emergency stop engaged by lin'])
  },
)
