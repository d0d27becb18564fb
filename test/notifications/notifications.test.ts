import { describe, expect, onTestFinished, test } from 'vitest'
import { engageKillSwitch, releaseKillSwitch } from '../../src/rules/guardrails/kill-switch.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/kernel/clock.ts'
import { startSmtp } from '../../src/vendors/sheet/send/smtp-server.test-support.ts'
import { get } from '../checkout/support.ts'
import { NOW } from '../support/service.ts'
import type { Service } from '../support/service.ts'
import { isVerified } from '../webhooks/receiver.ts'
import { FEISHU_APP, SLACK, startWith, waitingApproval } from './support.ts'
import type { Channel } from './support.ts'
import { encryptFeishu, feishuCall, SECRETS, send, slackCall } from './providers.ts'

const statusOf = async (service: Service, id: string) => (await service.get(`/approvals/${id}`)).body

describe('what is said, and how often', () => {
  test('an approval that waits is said once on every channel, in its language and form', async () => {
    const smtp = await startSmtp()
    onTestFinished(() => smtp.close())
    const kinds: NonNullable<Channel['kinds']> = ['approval_waiting']
    const { service, providers, notify } = await startWith((origin) => [
      SLACK(origin),
      FEISHU_APP(origin),
      { name: 'bot', type: 'feishu', webhook: `${origin}/open-apis/bot/v2/hook/abc`, secret: SECRETS.feishuBot, kinds },
      { name: 'own', type: 'webhook', url: `${origin}/own`, kinds },
      { name: 'mail', type: 'email', smtp: smtp.url, from: 'v@example.com', to: ['owner@example.com'], kinds },
    ])
    const { approval } = await waitingApproval(service)
    for (let i = 0; i < 3; i += 1) await notify()
    const byPath = Map.groupBy(providers.accepted, ({ path }) => path.split('?')[0])
    expect([...byPath].map(([path, calls]) => [path, calls.length])).toEqual([
      ['/services/T/B/x', 1],
      ['/open-apis/im/v1/messages', 1],
      ['/open-apis/bot/v2/hook/abc', 1],
      ['/own', 1],
    ])
    const [slack, feishu, bot, own] = providers.accepted.map(({ body }) => body)
    expect(slack.text).toMatch(/^Approval needed: /)
    expect(slack.blocks[1].elements.map(({ action_id: id, value }: never) => [id, value])).toEqual([
      ['approve', approval],
      ['reject', approval],
      ['open', undefined],
    ])
    const card = JSON.parse(feishu.content)
    expect(card.header.title.content).toMatch(/^待审批：/)
    expect(card.elements[1].actions.map(({ value }: never) => value)).toEqual([
      { approval, approved: true },
      { approval, approved: false },
      undefined,
    ])
    expect(JSON.stringify(bot.card)).not.toContain('"approved"')
    expect(own).toMatchObject({
      kind: 'approval_waiting',
      url: `https://vend.example.com/approvals/${approval}`,
      approval: { id: approval },
      data: {
        details: { supplier: 'acme-supply', total: 57_600, line_count: 1, lines: [{ quantity: 20, unit: 'BX' }] },
      },
    })
    expect(slack.blocks[0].text.text).toContain('20 boxes × ¥28.80, = ¥576.00')
    expect(card.elements[0].text.content).toContain('20 箱 × ¥28.80，= ¥576.00')
    expect(smtp.mails).toHaveLength(1)
    expect(smtp.mails[0]?.to).toEqual(['owner@example.com'])
  })

  test('a stop, its release, unreadable rules, and an approval about to lapse are said once', async () => {
    const { service, providers, notify, clock } = await startWith((origin) => [SLACK(origin)])
    const { approval } = await waitingApproval(service)
    await notify()
    await engageKillSwitch(service.ctx, { by: 'lin', reason: 'prices look wrong' })
    await notify()
    await releaseKillSwitch(service.ctx, { by: 'lin', reason: 'checked' })
    await notify()
    service.writeRules('nonsense')
    await notify()
    service.writeRules({
      rules: { spendingLimitPerRun: 50_000, priceCapPerItem: 100, hardNoGos: [], killSwitchEngaged: false },
      administrators: [],
      administratorChats: [],
    })
    clock.advance(22 * HOUR + MINUTE)
    await notify()
    await notify()
    expect(providers.accepted.map(({ body }) => body.text.replace(/: .*/, ''))).toEqual([
      'Approval needed',
      'Emergency stop engaged by lin',
      'Emergency stop released by lin',
      'The rules file cannot be read',
      'Approval about to expire',
    ])
    expect((await statusOf(service, approval)).status).toBe('pending')
  })

  test('many of one kind are one message with a count', async () => {
    const { service, providers, notify, clock } = await startWith((origin) => [SLACK(origin)])
    for (let i = 0; i < 12; i += 1) await waitingApproval(service)
    await notify()
    expect(providers.accepted.map(({ body }) => body.text)).toEqual([
      expect.stringMatching(/^Approval needed: .* and 11 more$/),
    ])
    for (let i = 0; i < 5; i += 1) {
      await waitingApproval(service)
      await waitingApproval(service)
      clock.advance(SECOND)
      await notify()
    }
    expect(providers.accepted).toHaveLength(1)
    clock.advance(MINUTE)
    await notify()
    expect(providers.accepted.map(({ body }) => body.text).at(-1)).toMatch(/and 9 more$/)
    expect(providers.accepted).toHaveLength(2)
  })

  test('in quiet hours only what is urgent is sent; the rest follows when they end', async () => {
    const { service, providers, notify, clock } = await startWith((origin) => [
      { ...SLACK(origin), quiet: { from: '22:00', to: '07:00' } },
    ])
    clock.advance(15 * HOUR)
    await waitingApproval(service)
    await engageKillSwitch(service.ctx, { by: 'lin', reason: 'x' })
    await notify()
    expect(providers.accepted.map(({ body }) => body.text)).toEqual(['Emergency stop engaged by lin'])
    clock.advance(8 * HOUR)
    await notify()
    expect(providers.accepted.map(({ body }) => body.text).at(-1)).toMatch(/^Approval needed/)
  })

  test('an approval that was resolved before the message could be sent is not announced', async () => {
    const { service, providers, notify, clock } = await startWith((origin) => [SLACK(origin)])
    providers.isDown = true
    const { approval } = await waitingApproval(service)
    await notify()
    await service.post(`/approvals/${approval}`, { approved: false })
    providers.isDown = false
    clock.advance(HOUR)
    await notify()
    expect(providers.accepted).toEqual([])
  })

  test('a channel that is down for an hour loses nothing, floods nobody, and holds up no other channel', async () => {
    const { service, providers, notify, clock } = await startWith((origin) => [
      SLACK(origin),
      { name: 'dead', type: 'webhook', url: 'http://127.0.0.1:1/', kinds: ['stop'] },
    ])
    providers.isDown = true
    for (let minute = 0; minute < 60; minute += 1) {
      if (minute % 6 === 0) await waitingApproval(service)
      await notify()
      clock.advance(MINUTE)
    }
    expect(providers.calls).toBeLessThan(20)
    providers.isDown = false
    for (let i = 0; i < 4; i += 1) {
      clock.advance(2 * HOUR)
      await notify()
    }
    expect(providers.accepted.map(({ body }) => body.text)).toEqual([expect.stringMatching(/and 9 more$/)])
  })

  test('the summary comes each morning at the local hour of the channel, once', async () => {
    const { providers, notify, clock } = await startWith((origin) => [
      { name: 'own', type: 'webhook', url: `${origin}/own`, kinds: ['summary'], summary_at: '09:30' },
    ])
    await notify()
    expect(providers.accepted).toEqual([])
    clock.advance(90 * MINUTE)
    await notify()
    await notify()
    clock.advance(DAY)
    await notify()
    expect(providers.accepted.map(({ body }) => [body.kind, body.data.report.day])).toEqual([
      ['summary', '2026-09-09'],
      ['summary', '2026-09-10'],
    ])
    expect(providers.accepted[0]?.body.text).toContain('Sales on 2026-09-09: 0 units')
  })
})

describe('4.8 a pressed button', () => {
  test('Feishu: decides once, names the person, and updates the card', async () => {
    const { service, clock } = await startWith((origin) => [FEISHU_APP(origin)])
    const { approval, session } = await waitingApproval(service)
    const pressed = await send(service, '/hooks/feishu', feishuCall(clock.now(), { approval }))
    expect(pressed).toMatchObject({ status: 200, body: { toast: { type: 'success' }, card: { type: 'raw' } } })
    expect(await statusOf(service, approval)).toMatchObject({ status: 'approved', resolved_by: 'ou_owner (chat)' })
    expect((await get(service, session)).status).toBe('ready_for_complete')
    const again = await send(service, '/hooks/feishu', feishuCall(clock.now(), { approval, approved: false }))
    expect(again.body.toast.type).toBe('error')
    expect((await statusOf(service, approval)).status).toBe('approved')
  })

  test('callbacks are limited per address, before anything is read', async () => {
    const { service, clock } = await startWith((origin) => [FEISHU_APP(origin)], { config: { rateLimitPerMinute: 2 } })
    const call = () => send(service, '/hooks/feishu', feishuCall(clock.now(), { approval: 'dec-1-1' }))
    expect([(await call()).status, (await call()).status, (await call()).status]).toEqual([200, 200, 429])
    clock.advance(MINUTE)
    expect((await call()).status).toBe(200)
  })

  test('Feishu: the address is verified with the challenge, encrypted', async () => {
    const { service } = await startWith((origin) => [FEISHU_APP(origin)])
    const challenge = (token: string) => {
      const text = JSON.stringify({ type: 'url_verification', challenge: 'c1', token })
      return {
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify({ encrypt: encryptFeishu(text) }),
      }
    }
    expect(await send(service, '/hooks/feishu', challenge(SECRETS.feishuToken))).toEqual({
      status: 200,
      body: { challenge: 'c1' },
    })
    expect((await send(service, '/hooks/feishu', challenge('other'))).status).toBe(401)
  })

  test('Feishu: forged, late and repeated callbacks decide nothing; nor does somebody who may not', async () => {
    const { service, clock } = await startWith((origin) => [FEISHU_APP(origin)])
    const { approval } = await waitingApproval(service)
    const now = clock.now()
    const forged = [
      feishuCall(now, { approval, token: 'guessed' }),
      feishuCall(now, { approval, encryptKey: 'guessed' }),
      feishuCall(now, { approval, signKey: 'guessed' }),
      feishuCall(now, { approval, at: now - 6 * MINUTE }),
      feishuCall(now, { approval, at: now - 6 * MINUTE, headerAt: now }),
      feishuCall(now, { approval, at: now + 6 * MINUTE }),
      { headers: { 'content-type': 'application/json' }, payload: 'nonsense' },
      { headers: { 'content-type': 'application/json' }, payload: '{}' },
      // Not encrypted, although an encrypt key is configured.
      {
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify({ token: SECRETS.feishuToken, type: 'url_verification', challenge: 'x' }),
      },
    ]
    for (const call of forged) expect((await send(service, '/hooks/feishu', call)).status).toBe(401)
    for (const stranger of [{ openId: 'ou_other' }, { chatId: 'oc_other' }, { openId: '' }]) {
      const { status, body } = await send(service, '/hooks/feishu', feishuCall(now, { approval, ...stranger }))
      expect([status, body.toast.type, body.card]).toEqual([200, 'error', undefined])
    }
    expect((await statusOf(service, approval)).status).toBe('pending')

    // The same press again, after the approval is pending anew for another basket: nothing.
    const press = feishuCall(now, { approval, openId: 'ou_other', eventId: 'e1' })
    await send(service, '/hooks/feishu', press)
    service.writeRules({
      rules: { spendingLimitPerRun: 50_000, priceCapPerItem: 100, hardNoGos: [], killSwitchEngaged: false },
      administrators: ['ou_owner', 'ou_other'],
      administratorChats: ['oc_ops'],
    })
    expect((await send(service, '/hooks/feishu', press)).body.toast.content).toContain('重复的操作')
    expect((await statusOf(service, approval)).status).toBe('pending')
  })

  test('nothing is approved while the emergency stop is on; rejecting works', async () => {
    const { service, clock } = await startWith((origin) => [FEISHU_APP(origin)])
    const { approval } = await waitingApproval(service)
    await engageKillSwitch(service.ctx, { by: 'lin', reason: 'x' })
    const refused = await send(service, '/hooks/feishu', feishuCall(clock.now(), { approval }))
    expect(refused.body.toast.type).toBe('error')
    expect((await statusOf(service, approval)).status).toBe('pending')
    await send(service, '/hooks/feishu', feishuCall(clock.now(), { approval, approved: false }))
    expect((await statusOf(service, approval)).status).toBe('rejected')
  })

  test('Slack: decides once and replaces the message; forged, late and repeated calls decide nothing', async () => {
    const { service, providers, clock } = await startWith((origin) => [SLACK(origin)])
    const { approval } = await waitingApproval(service)
    const now = clock.now()
    const good = slackCall(now, { approval })
    for (const call of [
      slackCall(now, { approval, secret: 'guessed' }),
      slackCall(now, { approval, at: now - 6 * MINUTE }),
      { ...good, payload: good.payload.replace('approve', 'reject') },
      { ...good, headers: { ...good.headers, 'x-slack-signature': '' } },
    ])
      expect((await send(service, '/hooks/slack', call)).status).toBe(401)
    expect(
      (await send(service, '/hooks/slack', slackCall(now, { approval, user: 'U_other', trigger: 't1' }))).status,
    ).toBe(200)
    expect((await statusOf(service, approval)).status).toBe('pending')
    const responseUrl = `${providers.origin}/response/1`
    const call = slackCall(now, { approval, action: 'reject', responseUrl })
    for (const each of [call, call]) expect((await send(service, '/hooks/slack', each)).status).toBe(200)
    expect(await statusOf(service, approval)).toMatchObject({ status: 'rejected', resolved_by: 'ou_owner (chat)' })
    await expect.poll(() => providers.accepted.length).toBe(2)
    expect(providers.accepted.map(({ body }) => body.replace_original)).toEqual([true, false])
  })

  test('without a channel with buttons the paths do not exist', async () => {
    const { service } = await startWith((origin) => [{ name: 'own', type: 'webhook', url: `${origin}/own` }])
    for (const path of ['/hooks/feishu', '/hooks/slack'])
      expect([401, 404]).toContain((await send(service, path, feishuCall(NOW, { approval: 'dec-1-1' }))).status)
  })
})

test('a webhook channel is signed as order webhooks are', async () => {
  const { startReceiver } = await import('../webhooks/receiver.ts')
  const receiver = await startReceiver()
  const { service, notify } = await startWith(() => [
    { name: 'own', type: 'webhook', url: receiver.url, kinds: ['stop'] },
  ])
  await engageKillSwitch(service.ctx, { by: 'lin', reason: 'x' })
  await notify()
  const { keys } = (await service.get('//.well-known/ucp', { token: null })).body
  const [message] = receiver.received
  expect(message && (await isVerified(message, receiver.origin, keys))).toBe(true)
  expect(message?.body.id).toBe(message?.headers['webhook-id'])
})
