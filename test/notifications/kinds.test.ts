/** Every kind of notice, from what makes it true to what people read, once. */
import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { recordEvent } from '../../src/record/events/index.ts'
import type { NotifySettings } from '../../src/views/notifications/settings.ts'
import { DAY, HOUR, MINUTE, manualClock } from '../../src/kernel/clock.ts'
import { complete, create, DEAR, line, ready, start, WATER } from '../checkout/support.ts'
import { fen } from '../../src/kernel/fen.ts'
import { collect, countingPlatform } from '../cash/machines.ts'
import { addKey } from '../people/keys.ts'
import { register } from '../pricing/machines.ts'
import { failure, machineSlot, scriptedMachine, trade } from '../support/scripted-vendors.ts'
import { NOW, RULES } from '../support/service.ts'
import type { Service, ServiceOptions } from '../support/service.ts'
import { startProviders } from './providers.ts'

type Channel = NotifySettings['channels'][number]
type Kind = NonNullable<Channel['kinds']>[number]

async function startFor(kind: Kind, options: ServiceOptions = {}) {
  const clock = manualClock(NOW)
  const providers = await startProviders(() => clock.now())
  const channel = (name: string, language: 'en' | 'zh'): Channel => ({
    name,
    type: 'slack',
    webhook: `${providers.origin}/services/${name}`,
    kinds: [kind],
    language,
  })
  const channels = [channel('en', 'en'), channel('zh', 'zh')]
  const service = await start({ clock, notify: { publicUrl: 'https://vend.example.com', channels }, ...options })
  /** Two looks, so that whatever is said twice is seen. */
  const texts = async () => {
    for (let i = 0; i < 2; i += 1) {
      await service.job('find-prompt-notices')
      await service.job('find-notices')
      for (const { name } of channels) await service.job(`outbox notify:${name}`)
    }
    return providers.accepted.map(({ body }) => body.blocks[0].text.text as string)
  }
  return { service, clock, texts }
}

async function ofUnknownOutcome(service: Service): Promise<string> {
  const id = await ready(service)
  service.supply.script.next('createOrder', { instead: failure('unknown', 'no answer within 1 s') })
  service.supply.script.next('orderStatus', 'pass', { instead: failure('unknown') })
  await complete(service, id)
  return id
}

test('outcome_unknown: a purchase of unknown outcome for five minutes, not before', async () => {
  const { service, clock, texts } = await startFor('outcome_unknown')
  const id = await ofUnknownOutcome(service)
  clock.advance(4 * MINUTE)
  expect(await texts()).toEqual([])
  clock.advance(MINUTE)
  expect(await texts()).toEqual([
    expect.stringContaining(`It is not clear whether ${id} was ordered`),
    expect.stringContaining(`无法确认 ${id} 是否已下单`),
  ])
})

test('above_agreed: a supplier confirms a higher total later', async () => {
  const { service, clock, texts } = await startFor('above_agreed')
  const id = await ready(service)
  await complete(service, id)
  expect(await texts()).toEqual([])
  service.supply.orders.get(id)!.totalFen = fen(6000)
  clock.advance(MINUTE)
  await service.get(`/orders/${id}`)
  expect(await texts()).toEqual([
    expect.stringContaining(`${id} was confirmed at ¥60.00, agreed ¥57.60`),
    expect.stringContaining(`${id} 金额超出约定：供应商确认 ¥60.00，约定 ¥57.60`),
  ])
})

test('invoice_differs: an invoice is not what was ordered', async () => {
  const { service, clock, texts } = await startFor('invoice_differs')
  const id = await ready(service)
  await complete(service, id)
  const lines = [{ unordered: 'Deposit', quantity: 2, contains: 1, unitPriceFen: fen(50) }]
  const invoice = { number: 'I1', lines, chargesFen: fen(0), taxFen: fen(0), totalFen: fen(100) }
  Object.assign(service.supply.orders.get(id)!, { invoices: [invoice] })
  clock.advance(MINUTE)
  await service.get(`/orders/${id}`)
  expect(await texts()).toEqual([
    expect.stringMatching(new RegExp(`Invoice for ${id} differs by ¥1\\.00[^]*Deposit was not ordered`)),
    expect.stringContaining(`${id} 的发票差额 ¥1.00`),
  ])
})

test('machine_silent: a machine that was not read for six hours', async () => {
  const { service, clock, texts } = await startFor('machine_silent')
  await register(service, 'M1001')
  await service.ctx.store.db.updateTable('location').set({ last_synced_at: NOW }).execute()
  clock.advance(6 * HOUR - 1)
  expect(await texts()).toEqual([])
  clock.advance(1)
  expect(await texts()).toEqual([
    expect.stringContaining('No data from Hall (M1001)'),
    expect.stringContaining('机器失联：Hall (M1001)'),
  ])
})

test('sync_failing: three failed syncs in a row; one that worked begins anew', async () => {
  const { service, texts } = await startFor('sync_failing')
  const sync = (code: 'sync_failed' | 'sync_completed') =>
    service.ctx.store.transaction((tx) =>
      recordEvent(service.ctx, tx, { kind: 'sync', code, params: {}, summary: 'Sync', reasoning: 'Upstream 503.' }),
    )
  for (const code of ['sync_failed', 'sync_failed', 'sync_completed', 'sync_failed', 'sync_failed'] as const)
    await sync(code)
  expect(await texts()).toEqual([])
  await sync('sync_failed')
  await sync('sync_failed')
  expect(await texts()).toEqual([
    expect.stringMatching(/^\*Stock and sales could not be read three times in a row\*[^]*503/),
    expect.stringContaining('连续三次同步失败'),
  ])
})

test('delivery_overdue: a day beyond the stated lead time', async () => {
  const { service, clock, texts } = await startFor('delivery_overdue')
  const id = await ready(service)
  await complete(service, id)
  clock.advance((service.config.statedLeadDays + 1) * DAY)
  expect(await texts()).toEqual([])
  clock.advance(1)
  expect(await texts()).toEqual([
    expect.stringContaining(`Delivery of ${id} is overdue`),
    expect.stringContaining(`${id} 逾期未到货`),
  ])
})

test('budget: from 80 % of a day on, and not below', async () => {
  // A box is ¥28.80.
  const { service, texts } = await startFor('budget', {
    rules: { ...RULES, rules: { ...RULES.rules, spendingLimitPerDay: 7200 } },
  })
  const buy = async () => complete(service, await ready(service, { line_items: [line(WATER, 1, 'BX')] }))
  await buy()
  expect(await texts()).toEqual([])
  await buy()
  expect(await texts()).toEqual([
    '*Budget nearly used: ¥57.60 / ¥72.00*\nThis is what may be spent in 24 hours without approval.',
    '*预算即将用完：¥57.60 / ¥72.00*\n这是 24 小时内无需审批的采购上限。',
  ])
})

test('approval_waiting: in Chinese every rule that asks, from its code and values', async () => {
  const { service, texts } = await startFor('approval_waiting', {
    rules: { ...RULES, rules: { ...RULES.rules, spendingLimitPerDay: 50_000 } },
  })
  const { id } = (await create(service, DEAR)).body
  const [english, chinese] = await texts()
  expect(english).toContain('exceeds the ¥500.00 limit per purchase')
  expect(english).toContain('Delivered to 伟 王, 13800000000, 上海市 世纪大道 100 号.')
  expect(chinese).toBe(
    `*待审批：采购单 ${id}，金额 ¥576.00*\n¥576.00 超过单笔 ¥500.00 的上限，需要审批。\n近 24 小时已支出 ¥0.00，再加 ¥576.00 超过每日 ¥500.00 的上限，需要审批。\n收货地址：伟 王, 13800000000, 上海市 世纪大道 100 号\n供应商：acme-supply\n- 农夫山泉 饮用天然水 550ml，20 箱 × ¥28.80，= ¥576.00\n合计：¥576.00`,
  )
  expect(english).toContain(
    'Supplier: acme-supply\n- 农夫山泉 饮用天然水 550ml, 20 boxes × ¥28.80, = ¥576.00\nTotal: ¥576.00',
  )
})

test('stop: also when the rules file engages or releases it, once for each change', async () => {
  const { service, texts } = await startFor('stop')
  const look = async () => {
    await service.job('watch-rules-file')
    await service.job('watch-rules-file')
    return texts()
  }
  expect(await look()).toEqual([])
  const rules = (killSwitchEngaged: boolean) => ({ ...RULES, rules: { ...RULES.rules, killSwitchEngaged } })
  service.writeRules(rules(true))
  const engaged = [
    expect.stringContaining('Emergency stop engaged in the rules file'),
    expect.stringContaining('规则文件启用了紧急停止'),
  ]
  expect(await look()).toEqual(engaged)
  // A file that cannot be read says nothing about the stop.
  service.writeRules('nonsense')
  expect(await look()).toEqual(engaged)
  service.writeRules(rules(false))
  expect(await look()).toEqual([
    ...engaged,
    expect.stringContaining('Emergency stop released in the rules file'),
    expect.stringContaining('规则文件解除了紧急停止'),
  ])
  expect(await service.events('guardrail')).toMatchObject([
    { code: 'rules_file_stop_released' },
    { code: 'rules_file_stop_engaged' },
  ])
})

test('stop: what the rules file of another host says neither changes what this one says nor is announced again', async () => {
  const { service, texts } = await startFor('stop')
  const { db } = service.ctx.store
  await db.insertInto('rules_file_stop').values({ name: 'other-host', engaged: 1, changed_at: 1 }).execute()
  await service.job('watch-rules-file')
  expect(await texts()).toEqual([])
  service.writeRules({ ...RULES, rules: { ...RULES.rules, killSwitchEngaged: true } })
  await service.job('watch-rules-file')
  expect(await texts()).toHaveLength(2)
  const rows = await db.selectFrom('rules_file_stop').select(['name', 'engaged']).orderBy('changed_at').execute()
  expect(rows).toEqual([
    { name: 'other-host', engaged: 1 },
    { name: hostname(), engaged: 1 },
  ])
  // The other host releases its file: this one's stays engaged.
  await db.updateTable('rules_file_stop').set({ engaged: 0 }).where('name', '=', 'other-host').execute()
  await service.job('watch-rules-file')
  expect(await service.events('guardrail')).toMatchObject([{ code: 'rules_file_stop_engaged' }])
})

test('rules_changed: who changed which rule, once', async () => {
  const { service, texts } = await startFor('rules_changed')
  const { key: token } = await addKey(service, 'owner', 'Wang')
  await service.put('/guardrails', { rules: { spendingLimitPerDay: 5, autonomy: { restock: 'act' } } }, { token })
  const [english, chinese, ...more] = await texts()
  expect(english).toContain('Wang changed the rules')
  expect(english).toContain('spendingLimitPerDay, autonomy.restock')
  expect(chinese).toContain('Wang 修改了规则')
  expect([more, (await texts()).length]).toEqual([[], 2])
})

test('stop: released by an owner', async () => {
  const { service, texts } = await startFor('stop')
  const { key: token } = await addKey(service, 'owner', 'Wang')
  await service.post('/guardrails/stop', { reason: 'test' })
  await service.post('/guardrails/release', { word: 'release', reason: 'checked' }, { token })
  const said = (await texts()).join('\n')
  expect(said).toContain('Emergency stop released by Wang')
  expect(said).toContain('checked')
})

test('profit_report: the last week beside the week before, once a week', async () => {
  const monday = Date.parse('2026-09-14T08:30:00+08:00')
  const trades = [2, 3, 9].map((days) => trade(`t${days}`, monday - days * DAY, { locationId: 'M1001' }))
  const machine = scriptedMachine({ M1001: [machineSlot('G-0001', { title: 'Cola', stock: 5 })] }, trades)
  const { service, clock, texts } = await startFor('profit_report', { machine })
  clock.set(monday)
  await service.put('/locations/M1001', { name: 'Hall' })
  await service.post('/locations/sync')
  const [english, chinese] = await texts()
  // Two sales at 2.50 which cost 1.20 each; one the week before.
  expect(english).toContain('2026-09-07 to 2026-09-13')
  expect(english).toMatch(/Revenue: .*5\.00 \(.*2\.50\)/)
  expect(english).toMatch(/Gross profit: .*2\.60 \(.*1\.30\), margin 52%/)
  expect(english).toMatch(/- Hall \(M1001\): .*2\.60 \(.*1\.30\)/)
  expect(chinese).toMatch(/利润：.*2\.60（.*1\.30）/)
  clock.advance(DAY)
  expect(await texts()).toHaveLength(2)
  // On the Thursday after, nobody is told of a week that is long over.
  clock.advance(9 * DAY)
  expect(await texts()).toHaveLength(2)
})

test('summary: empty slots by the names of machine and product', async () => {
  const slot = machineSlot('G-0001', { title: '可乐', stock: 0 })
  const { service, texts } = await startFor('summary', { machine: scriptedMachine({ M1001: [slot] }) })
  await service.put('/locations/M1001', { name: 'Hall' })
  await service.post('/locations/sync', {})
  const [english, chinese] = await texts()
  expect(english).toContain('- Hall (M1001): 可乐, 0 a day')
  expect(chinese).toContain('- Hall (M1001)：可乐，日均 0 件')
})

test('cash_difference: above the tolerance, once the counters were read up to the collection', async () => {
  const platform = countingPlatform(manualClock(NOW))
  const { service, clock, texts } = await startFor('cash_difference', { entries: [platform.entry] })
  await service.put('/locations/M1', { name: 'Lobby' })
  const count = async (until: number, ...taken: readonly number[]) => {
    const entries = taken.map((amount, i) => ({ at: NOW + (i + 1) * DAY, amountFen: fen(amount) }))
    platform.machine.cash.set('M1', { fromMs: NOW - DAY, untilMs: until, taken: entries })
    await service.post('/locations/sync')
  }
  await collect(service, 'M1', 5000)
  clock.set(NOW + DAY)
  await count(NOW + DAY, 20_000)
  // 4 % short, and 5 % of it would be 1000.
  await collect(service, 'M1', 19_200)
  clock.set(NOW + 2 * DAY)
  await collect(service, 'M1', 18_500, { bag: 'B7' })
  expect(await texts(), 'the counters were last read a day ago').toEqual([])
  await count(NOW + 2 * DAY, 20_000, 20_000)
  expect(await texts()).toEqual([
    expect.stringMatching(/Cash of Lobby \(M1\): ¥185\.00 collected, ¥200\.00 expected\*[^]*-¥15\.00.*bag B7/),
    expect.stringMatching(/Lobby（?[^]*现金不符：实收 ¥185\.00，应收 ¥200\.00[^]*-¥15\.00/),
  ])
})

test('fault_reported: what somebody reported at a machine, once', async () => {
  const { service, texts } = await startFor('fault_reported')
  await register(service, 'M1')
  await service.post('/locations/M1/reports', { fault: 'Not cooling' })
  expect(await texts()).toEqual([
    expect.stringMatching(/M1.*: Not cooling/),
    expect.stringMatching(/M1.*：Not cooling/),
  ])
})
