/** A chat waits three seconds for the reply to a press; a decision that takes longer is reported afterwards. */
import { expect, test } from 'vitest'
import type { HookNeeds } from '../../src/views/notifications/index.ts'
import { receiveFeishu, receiveSlack } from '../../src/views/notifications/index.ts'
import type { Handlers } from '../../src/contract/handlers.ts'
import { feishuCall, slackCall } from './providers.ts'
import { FEISHU_APP, SLACK, startWith, waitingApproval } from './support.ts'
import type { Channel } from './support.ts'

/** Approving goes on until it is let go. */
async function startSlow(channelOf: (origin: string) => Channel) {
  const { service, providers, clock } = await startWith((origin) => [channelOf(origin)])
  const { approval } = await waitingApproval(service)
  const held = Promise.withResolvers<void>()
  const handlers: Pick<Handlers, 'resolveApproval'> = {
    resolveApproval: async (call) => {
      await held.promise
      const { status, body } = await service.post(`/approvals/${call.params.id}`, { approved: call.body.approved })
      if (status !== 200) throw new Error(JSON.stringify(body))
      return { ok: true, value: { body } }
    },
  }
  const needs: HookNeeds = { ctx: service.ctx, handlers, checkGuard: async () => undefined, replyWithinMs: 1 }
  return { service, providers, clock, approval, needs, channel: channelOf(providers.origin), letGo: held.resolve }
}

const raw = ({ headers, payload }: { headers: Record<string, string>; payload: string }) => ({
  headers,
  raw: Buffer.from(payload),
})

test('Slack gets its reply at once, and the message is replaced when it is decided', async () => {
  const { service, providers, clock, approval, needs, channel, letGo } = await startSlow(SLACK)
  if (channel.type !== 'slack') throw new Error('not Slack')
  const call = slackCall(clock.now(), { approval, responseUrl: `${providers.origin}/response/1` })
  expect(await receiveSlack(needs, channel, raw(call), 'r1')).toEqual({ status: 200, body: {} })
  expect(providers.accepted).toEqual([])
  letGo()
  await expect.poll(() => providers.accepted.map(({ body }) => body.replace_original)).toEqual([true])
  expect((await service.get(`/approvals/${approval}`)).body.status).toBe('approved')
})

test('Feishu gets its reply at once, and the card is replaced when it is decided', async () => {
  const { providers, clock, approval, needs, channel, letGo } = await startSlow(FEISHU_APP)
  if (channel.type !== 'feishu') throw new Error('not Feishu')
  const reply = await receiveFeishu(needs, channel, raw(feishuCall(clock.now(), { approval })), 'r1')
  expect(reply).toMatchObject({ status: 200, body: { toast: { type: 'info', content: '正在执行，稍后告知结果' } } })
  letGo()
  await expect
    .poll(() => providers.accepted.map(({ path, body }) => [path, body.token]))
    .toEqual([['/open-apis/interactive/v1/card/update', 'c-1']])
  expect(JSON.stringify(providers.accepted[0]?.body.card)).toContain('ou_owner 已批准')
})
