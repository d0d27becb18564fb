/** What wakes the operator between its wake-ups, and what people get to read of its shifts. */
import { expect, test } from 'vitest'
import type { NotifySettings } from '../../src/views/notifications/settings.ts'
import { DAY, HOUR, manualClock, MINUTE } from '../../src/kernel/clock.ts'
import { startProviders } from '../notifications/providers.ts'
import { rotateKey } from '../../src/rules/people/index.ts'
import { addKey } from '../people/keys.ts'
import { startRoute, withRules } from '../replenishment/route.ts'
import { type Json, type Service, NOW, RULES } from '../support/service.ts'

const HOME = { street_address: '仓库路 9', first_name: '仓库', phone_number: '13800000000' }
const REAL = { env: 'staging', simulatedPurchasing: false, defaultDestination: HOME } as const
type Channel = NotifySettings['channels'][number]

async function start(options: Parameters<typeof startRoute>[0] = {}) {
  const clock = manualClock(NOW)
  const providers = await startProviders(() => clock.now())
  const slack = (name: string, kinds: Channel['kinds'], language: 'en' | 'zh'): Channel => ({
    name,
    type: 'slack',
    webhook: `${providers.origin}/services/${name}`,
    ...(kinds === undefined ? {} : { kinds }),
    language,
  })
  const channels = [
    slack('ann', ['shift_report'], 'en'),
    slack('lao', ['shift_report'], 'zh'),
    slack('driver', ['pick_list'], 'zh'),
  ]
  const notify = { publicUrl: 'https://vend.example.com', channels }
  const service = await startRoute({ clock, config: REAL, notify, ...options })
  const { key: token } = await addKey(service, 'owner', 'Ann')
  const set = await service.put('/operator', { autonomy: { restock: 'act' } }, { token })
  if (set.status !== 200) throw new Error(set.text)
  /** Two looks, so that whatever is said twice is seen. */
  const readBy = async (name: string): Promise<string[]> => {
    for (let i = 0; i < 2; i += 1) {
      await service.job('find-notices')
      for (const each of channels) await service.job(`outbox notify:${each.name}`)
    }
    return providers.accepted
      .filter(({ path }) => path === `/services/${name}`)
      .map(({ body }) => body.blocks[0].text.text as string)
  }
  return { service, token, clock, readBy }
}

const shifts = async (service: Service): Promise<Json[]> => (await service.get('/operator/shifts')).body.shifts

async function shift(service: Service): Promise<void> {
  await service.post('/operator/shifts')
  await service.job('operator')
}

test('a shift is reported in the language of each channel, and the driver gets the pick list, once', async () => {
  const { service, readBy } = await start()
  await shift(service)
  await shift(service)
  const [report, ...more] = await readBy('ann')
  expect(more).toEqual([])
  expect(report).toMatch(/^\*What the operator did\*\n1 run ordered; 1 purchase for ¥[\d.]+; 1 question to the owner/)
  expect(report).toMatch(/\n- Next: [^\n]*1 purchase on the way/)
  expect(report).toMatch(/\nWaiting for you:\n- No supplier is known for 1 product in machines[^\n\p{Script=Han}]*$/u)
  const [chinese] = await readBy('lao')
  expect(chinese).toMatch(/^\*自动运营做了什么\*/)
  expect(chinese).toMatch(/\n- 接下来：[^\n]*1 笔采购在途/)
  expect(chinese).toMatch(/\n等您决定：\n- 机器中有 1 种商品没有对应的供应商，无法订货。要关联吗？$/)
  const lists = await readBy('driver')
  expect(lists).toEqual([expect.stringMatching(/^\*run-\d+ 的拣货单\*\n\d+ 件，1 台机器：\n\d+ × 可乐/)])
  expect(lists[0]).not.toContain('¥')
})

test('the pick list waits for the purchase: not while the owner is asked, then once', async () => {
  const { service, token, clock, readBy } = await start({ rules: withRules({ spendingLimitPerRun: 100 }) })
  await shift(service)
  expect(await readBy('driver')).toEqual([])
  const { approvals } = (await service.get('/approvals')).body
  const { id } = approvals.find(({ kind }: Json) => kind !== 'note')
  clock.advance(MINUTE)
  await service.job('operator')
  await service.post(`/approvals/${id}`, { approved: true }, { token })
  clock.advance(MINUTE)
  await service.job('operator')
  expect((await shifts(service))[0]).toMatchObject({ trigger: 'event', figures: { bought: 1 } })
  await shift(service)
  expect(await readBy('driver')).toHaveLength(1)
})

test('what comes with time wakes it: silent and back, late, budget free again; a reminder is not slowed', async () => {
  const { service, token, clock, readBy } = await start({
    config: { ...REAL, syncIntervalMs: HOUR },
    rules: { ...RULES, rules: { ...RULES.rules, spendingLimitPerRun: 50_000, spendingLimitPerDay: 50_000 } },
  })
  // Otherwise the clock wakes it.
  await service.put('/operator', { wake_at: [] }, { token })
  const readAt = (at: number) => service.ctx.store.db.updateTable('location').set({ last_synced_at: at }).execute()
  const woken = async (pause: number, lastRead = 0): Promise<string[]> => {
    const before = (await shifts(service)).length
    clock.advance(pause)
    await readAt(clock.now() - lastRead)
    await service.job('operator')
    const now = await shifts(service)
    return now.slice(0, now.length - before).map(({ trigger }) => trigger)
  }
  // The first look finds nothing new.
  expect(await woken(MINUTE)).toEqual([])
  expect(await woken(HOUR, 6 * HOUR)).toEqual(['event'])
  expect(service.supply.orders.size).toBe(1)
  expect(await woken(HOUR, 7 * HOUR)).toEqual([])
  expect(await woken(MINUTE)).toEqual(['event'])
  // At most one in 15 minutes, and nothing is lost: it comes then.
  expect(await woken(5 * MINUTE, DAY)).toEqual([])
  expect(await woken(9 * MINUTE, DAY)).toEqual([])
  expect(await woken(MINUTE, DAY)).toEqual(['event'])
  expect(await woken(15 * MINUTE)).toEqual(['event'])
  // What was bought counts for a day, and is late after its lead time.
  expect(await woken(20 * HOUR)).toEqual([])
  expect(await woken(5 * HOUR)).toEqual(['event'])
  expect(await woken((service.config.statedLeadDays - 1) * DAY)).toEqual([])
  expect(await woken(DAY)).toEqual(['event'])
  expect(await woken(DAY)).toEqual([])

  const rotated = await rotateKey(service.ctx, 'vendops', {}, 'root@host')
  if (!rotated.ok) throw new Error('no key')
  const { key } = rotated.value
  expect(await woken(MINUTE, DAY)).toEqual(['event'])
  const at = new Date(clock.now() + 2 * MINUTE).toISOString()
  expect((await service.post('/reminders', { at, text: 'look at M1001' }, { token: key })).status).toBe(201)
  expect(await woken(MINUTE)).toEqual([])
  clock.advance(2 * MINUTE)
  await service.job('reminders')
  expect(await woken(MINUTE)).toEqual(['reminder'])
  const reports = await readBy('ann')
  const [last] = await shifts(service)
  expect(reports.at(-1)).toContain(last?.summary)
})
