/** Closed days and expected events of a machine (beyond the contract). */
import { describe, expect, test } from 'vitest'
import { addDays, localDay } from '../../src/kernel/clock.ts'
import { NOW } from '../support/service.ts'
import type { Json } from '../support/service.ts'
import { COLA, entryOf, MACHINE, plan, slotOf, startRoute, sync, TEA } from '../replenishment/route.ts'

const PATH = `/locations/${MACHINE}/calendar`
const TODAY = localDay(NOW, 'Asia/Shanghai')
const day = (days: number) => addDays(TODAY, days)

describe('4.3 the calendar of a machine', () => {
  test('is empty at first, is replaced as a whole, sorted by day, and kept by a sync', async () => {
    const service = await startRoute()
    expect((await service.get(PATH)).body).toMatchObject({ location: MACHINE, timezone: 'Asia/Shanghai', entries: [] })
    const entries = [
      { from: '2026-11-17', to: '2026-11-20', kind: 'demand', factor: 2.5, note: 'exhibition' },
      { from: '2026-10-01', kind: 'closed' },
    ]
    const sorted = [{ from: '2026-10-01', to: '2026-10-01', kind: 'closed' }, entries[0]]
    expect((await service.put(PATH, { entries })).body.entries).toEqual(sorted)
    await sync(service)
    await service.put(`/locations/${MACHINE}`, { name: 'Hall' })
    expect((await service.get(PATH)).body.entries).toEqual(sorted)
    expect((await service.put(PATH, { entries: [] })).body.entries).toEqual([])
    expect((await service.get(PATH)).body.entries).toEqual([])
  })

  test.each([
    ['a day that does not exist', { from: '2026-02-30', kind: 'closed' }, 'invalid', 'from'],
    ['an end before its start', { from: '2026-10-02', to: '2026-10-01', kind: 'closed' }, 'invalid', 'to'],
    ['more than a year', { from: '2026-10-02', to: '2027-10-03', kind: 'closed' }, 'invalid', 'to'],
    ['an event without a factor', { from: '2026-10-02', kind: 'demand' }, 'missing', 'factor'],
    ['a closed day with a factor', { from: '2026-10-02', kind: 'closed', factor: 2 }, 'invalid', 'factor'],
    ['a factor of nothing', { from: '2026-10-02', kind: 'demand', factor: 0 }, 'invalid', 'factor'],
    ['a factor out of all proportion', { from: '2026-10-02', kind: 'demand', factor: 200 }, 'invalid', 'factor'],
  ])('refuses %s, and nothing is changed', async (_, entry, code, member) => {
    const service = await startRoute()
    const kept = [{ from: '2026-10-01', to: '2026-10-01', kind: 'closed' }]
    await service.put(PATH, { entries: kept })
    const { status, body } = await service.put(PATH, { entries: [kept[0], entry] })
    expect([status, body.messages[0]]).toEqual([400, expect.objectContaining({ code })])
    expect(body.messages[0].path).toMatch(new RegExp(`entries.*1.*${member}`))
    expect((await service.get(PATH)).body.entries).toEqual(kept)
  })

  test('two events never overlap; a closed day may lie within one', async () => {
    const service = await startRoute()
    const event = { from: '2026-11-17', to: '2026-11-20', kind: 'demand', factor: 2 }
    const overlap = await service.put(PATH, { entries: [event, { ...event, from: '2026-11-20', to: '2026-11-21' }] })
    expect(overlap.status).toBe(400)
    expect((await service.put(PATH, { entries: [event, { from: '2026-11-18', kind: 'closed' }] })).status).toBe(200)
  })

  test('writes one event when it changes, and none when it does not; an unknown machine has none', async () => {
    const service = await startRoute()
    const entries = [{ from: '2026-10-01', kind: 'closed' }]
    await service.put(PATH, { entries })
    await service.put(PATH, { entries })
    const { body } = await service.get('/events?kind=location&limit=100')
    expect(body.events.filter(({ code }: Json) => code === 'calendar_changed')).toMatchObject([
      { params: { machine: MACHINE, entries: 1 } },
    ])
    expect((await service.get('/locations/M9/calendar')).status).toBe(404)
    expect((await service.put('/locations/M9/calendar', { entries })).status).toBe(404)
  })

  test('2.8 past days it explains train no rate, coming ones change what is needed', async () => {
    const service = await startRoute()
    const before = await plan(service)
    await service.put(PATH, {
      entries: [
        { from: day(-21), to: day(-11), kind: 'demand', factor: 3 },
        { from: day(-3), to: day(-1), kind: 'closed' },
      ],
    })
    const past = entryOf(await plan(service), slotOf(TEA))
    expect(past.demand).toMatchObject({ closed_days: 3, available_days: 18 })
    expect(past.demand.daily_rate).toBeLessThan(entryOf(before, slotOf(TEA)).demand.daily_rate)

    await service.put(PATH, { entries: [{ from: day(1), to: day(6), kind: 'demand', factor: 2.5 }] })
    const ahead = entryOf(await plan(service), slotOf(TEA))
    expect(ahead.demand).toEqual(entryOf(before, slotOf(TEA)).demand)
    expect(ahead.days_of_cover).toBeLessThan(entryOf(before, slotOf(TEA)).days_of_cover)
    expect(ahead.target).toBeGreaterThan(entryOf(before, slotOf(TEA)).target)

    await service.put(PATH, { entries: [{ from: day(2), kind: 'closed' }] })
    const closed = await plan(service)
    expect(closed.visits[0]).toMatchObject({ go: false, why: 'closed' })
    expect(entryOf(closed, slotOf(COLA)).recommendation.action).toBe('watch')
  })
})

describe('public holidays', () => {
  const NATIONAL_DAY = '2026-10-01'

  test('are listed a year ahead; an answer is an entry in the calendar of each machine that is closed', async () => {
    const OTHER = 'M1002'
    const service = await startRoute({ slotsByMachine: { [MACHINE]: [], [OTHER]: [] } })
    const vacation = { from: '2026-09-30', to: '2026-10-05', kind: 'closed', note: 'renovation' }
    await service.put(`/locations/${OTHER}/calendar`, { entries: [vacation] })
    const holiday = async (date = NATIONAL_DAY): Promise<Json> =>
      (await service.get('/holidays')).body.holidays.find((each: Json) => each.date === date)
    const { body } = await service.get('/holidays')
    expect(body).toMatchObject({ country: 'CN', machines: 2 })
    expect(body.holidays.every(({ date }: Json) => date >= TODAY && date <= day(365))).toBe(true)
    expect(await holiday()).toMatchObject({
      names: { en: 'National Day', zh: '国庆节' },
      answered: false,
      closed: [OTHER],
    })

    // Somebody else's closing is not ours to end; the day that we stated is.
    const closing = { from: NATIONAL_DAY, to: NATIONAL_DAY, kind: 'closed', note: 'National Day' }
    const answer = (closed: readonly string[], date = NATIONAL_DAY) => service.put(`/holidays/${date}`, { closed })
    for (const [closed, entries] of [
      [[MACHINE], [closing]],
      [[MACHINE], [closing]],
      [[], []],
      [[MACHINE, OTHER], [closing]],
    ] as const) {
      const answered = await answer(closed)
      expect(answered.body.holiday).toMatchObject({
        answered: true,
        closed: [...new Set([...closed, OTHER])].toSorted(),
      })
      expect((await service.get(PATH)).body.entries).toEqual(entries)
      expect((await service.get(`/locations/${OTHER}/calendar`)).body.entries).toEqual([vacation])
    }
    expect(await holiday()).toMatchObject({ answered: true, closed: [MACHINE, OTHER] })
    expect(await holiday('2026-10-02')).toMatchObject({ answered: false, closed: [OTHER] })
    const events = (await service.get('/events?kind=location&limit=100')).body.events
    expect(events.find(({ code }: Json) => code === 'holiday_answered').params).toEqual({
      holiday: 'National Day',
      date: NATIONAL_DAY,
      closed: 2,
      machines: 2,
    })

    // What cannot be is refused, and changes nothing.
    expect((await answer([MACHINE, 'M9'], '2026-10-03')).status).toBe(404)
    expect((await answer([MACHINE], '2026-09-12')).status).toBe(404)
    expect((await answer([MACHINE], 'tomorrow')).status).toBe(400)
    expect((await service.put(`/holidays/2026-10-03`, {})).status).toBe(400)
    expect(await holiday('2026-10-03')).toMatchObject({ answered: false, closed: [OTHER] })
    expect((await service.get(PATH)).body.entries).toEqual([closing])
  })
})
