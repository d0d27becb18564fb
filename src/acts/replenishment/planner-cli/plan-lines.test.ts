import { expect, test } from 'vitest'
import { planLine, planLines } from './plan-lines.ts'

const STATE = {
  now: '2026-03-18T00:05:00+08:00',
  timezone_offset_min: 480,
  stated_lead_days: 2,
  slots: [
    { slot_id: 'm-a', location: 'm', sku: 'a', price: 500, stock: 0, capacity: 12, first_seen: '2026-01-01T00:00:00Z' },
  ],
  ledger: [1, 2, 3, 4, 5].map((day) => ({ ts: `2026-03-1${day}T09:00:00+08:00`, slot_id: 'm-a', status: 'paid' })),
}
const line = (over: object = {}) => JSON.stringify({ ...STATE, ...over })

async function plans(chunks: Iterable<string | Uint8Array>): Promise<string[]> {
  const out: string[] = []
  const input = async function* () {
    yield* chunks
  }
  await planLines(input(), (text) => out.push(text))
  return out
}

test('one plan per line, in whatever chunks the input arrives', async () => {
  const text = `${line()}\n\n${line({ stated_lead_days: 4 })}`
  const whole = await plans([text])
  expect(whole).toHaveLength(2)
  expect(whole.every((answer) => answer.endsWith('\n'))).toBe(true)
  expect(JSON.parse(whole[0]!)).toMatchObject({ lead_time: { days: 2 }, orders: [{ slot_id: 'm-a', quantity: 12 }] })
  expect(JSON.parse(whole[1]!)).toMatchObject({ lead_time: { days: 4 } })
  const bytes = new TextEncoder().encode(text)
  expect(await plans([bytes.slice(0, 100), bytes.slice(100, 101), bytes.slice(101)])).toEqual(whole)
})

test('a character split between two chunks is read as one', async () => {
  const bytes = new TextEncoder().encode(
    line({ slots: [{ ...STATE.slots[0], slot_id: 'm-水', sku: '水' }], ledger: [] }),
  )
  const cut = bytes.indexOf(0xe6) + 1
  const [answer] = await plans([bytes.slice(0, cut), bytes.slice(cut)])
  expect(JSON.parse(answer!).plans[0].slot_id).toBe('m-水')
})

test('an invalid line gives an error, and the next one is still planned', async () => {
  const answers = await plans([`{oops\n${line({ slots: 'none' })}\n${line({ now: 'yesterday' })}\n${line()}\n`])
  expect(answers.map((answer) => Object.keys(JSON.parse(answer))[0])).toEqual([
    'error',
    'error',
    'error',
    'strategy_version',
  ])
  expect(JSON.parse(answers[1]!).error).toContain('/slots')
})

test('parameters, zones and hours of a state are used and checked', () => {
  expect(JSON.parse(planLine(line({ params: { max_order_qty: 5 } }))).orders).toEqual([{ slot_id: 'm-a', quantity: 5 }])
  for (const params of [
    { window_days: 0 },
    { min_order_qty: 9, max_order_qty: 8 },
    { cover_days: '7' },
    { visit_rule: 'x' },
  ]) {
    expect(JSON.parse(planLine(line({ params }))).error).toMatch(/plan parameter/)
  }
  expect(JSON.parse(planLine(line({ timezone: 'Mars/Olympus' }))).error).toMatch(/unknown zone/)
  const located = JSON.parse(
    planLine(line({ locations: [{ id: 'm', timezone: 'America/New_York', hours: [{ day: 'monday' }] }] })),
  )
  expect(located.plans[0].stockout_at).toBe('2026-03-17T12:05:00.000-04:00')
  expect(located.plans[0].demand.closed_days).toBe(13)
})

test('the answer says what was left out of the plan', () => {
  const undated = line({
    ledger: [...STATE.ledger, { ts: null, slot_id: 'm-a' }],
    ledger_from: '2026-03-10T00:00:00+08:00',
  })
  expect(JSON.parse(planLine(undated))).toMatchObject({
    undated_lines: 1,
    truncated: [{ location: 'm', window_days: 8 }],
  })
})
