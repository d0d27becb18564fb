/** Writes and lists over MCP answer in a few words; `details` gives the whole answer, and tools of the protocol keep their shapes. */
import { expect, test } from 'vitest'
import { TOOLS } from '../../src/contract/tools.ts'
import { fen } from '../../src/kernel/fen.ts'
import { salesOf, startRoute, withRules } from '../replenishment/route.ts'
import { callTool } from '../support/mcp.ts'
import { machineSlot, scriptedSupply, supplyProduct } from '../support/scripted-vendors.ts'
import type { Json, Service } from '../support/service.ts'

const MACHINES = ['M1001', 'M1002', 'M1003']
const withCheckDigit = (digits: string): string => {
  const sum = digits.split('').reduce((total, digit, n) => total + Number(digit) * (n % 2 === 0 ? 1 : 3), 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}
const SLOTS = Array.from({ length: 12 }, (_, n) => ({
  code: `G-${n}`,
  barcode: withCheckDigit(`6901234567${10 + n}`),
}))

/** Three machines of twelve slots that are nearly empty, and a supplier of all of it. */
async function startTwelves(): Promise<Service> {
  const slots = () =>
    SLOTS.map(({ code, barcode }) => machineSlot(code, { title: `农夫山泉 ${code} 550ml`, stock: 0, barcode }))
  const supply = scriptedSupply(
    SLOTS.map(({ code, barcode }) => supplyProduct(`SP-${code}`, { barcode, eachPriceFen: fen(120) })),
  )
  return startRoute({
    supply,
    slotsByMachine: Object.fromEntries(MACHINES.map((id) => [id, slots()])),
    trades: MACHINES.flatMap((location) =>
      SLOTS.flatMap(({ code }) => salesOf({ location, vendorSku: code, perDay: 1, days: 22 })),
    ),
    rules: withRules({ spendingLimitPerRun: 1_000_000 }),
    config: {
      env: 'live',
      simulatedPurchasing: false,
      defaultDestination: { street_address: '1 Road', first_name: 'Wu', last_name: 'Li', phone_number: '13800000000' },
    },
  })
}

const textOf = async (service: Service, name: string, args: object): Promise<string> => {
  const { result, error } = (await callTool(service, name, args)).body
  expect(error, name).toBeUndefined()
  expect(result.isError, result.content[0].text).toBeUndefined()
  expect(result.structuredContent, name).toEqual(JSON.parse(result.content[0].text))
  return result.content[0].text
}

test('to restock three machines of twelve slots takes answers of 25 KB together', async () => {
  const service = await startTwelves()
  const created = await textOf(service, 'vending_create_run', { locations: MACHINES })
  const run: Json = JSON.parse(created)
  expect(run).toMatchObject({ status: 'approved', counts: { line_items: 36, expectations: 3 } })
  expect(run.totals.at(-1)).toMatchObject({ type: 'total' })
  expect(run.next).toEqual([{ tool: 'vending_place_run', id: run.id }])
  expect(run).not.toHaveProperty('line_items')
  const whole: Json = JSON.parse(await textOf(service, 'vending_get_run', { id: run.id }))
  expect(whole.line_items).toHaveLength(36)

  const placing = await textOf(service, 'vending_place_run', { id: run.id })
  const placed: Json = JSON.parse(placing)
  expect(placed.checkouts).toHaveLength(1)
  const [{ id }] = placed.checkouts
  expect(placed.next).toEqual([
    { tool: 'complete_checkout', id },
    { tool: 'vending_get_pick_list', id: run.id },
  ])
  const completing = await textOf(service, 'complete_checkout', { id, checkout: { confirm: true } })
  const completed: Json = JSON.parse(completing)
  expect([completed.status, completed.line_items.length]).toEqual(['completed', 12])
  const bytes = [created, placing, completing].map((text) => Buffer.byteLength(text))
  expect(bytes[0], 'created').toBeLessThanOrEqual(2000)
  expect(bytes[1], 'placed').toBeLessThanOrEqual(2000)
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(25 * 1024)

  const listed: Json = JSON.parse(await textOf(service, 'vending_list_runs', {}))
  expect(listed.runs).toMatchObject([{ id: run.id, status: 'placed', counts: { line_items: 36 } }])
  for (const entry of listed.runs) expect(Buffer.byteLength(JSON.stringify(entry))).toBeLessThanOrEqual(1024)
  const rest = await service.get('/replenishment/runs?limit=20')
  expect(await textOf(service, 'vending_list_runs', { details: true })).toBe(rest.text)
  const chosen: Json = JSON.parse(await textOf(service, 'vending_list_runs', { fields: ['id', 'line_items'] }))
  expect(chosen.runs[0].line_items).toHaveLength(36)
})

test('a lost reply can be asked for in whole with the same key', async () => {
  const service = await startTwelves()
  const meta = { 'idempotency-key': 'k' }
  const small: Json = JSON.parse(await textOf(service, 'vending_create_run', { locations: MACHINES, meta }))
  const whole: Json = JSON.parse(
    await textOf(service, 'vending_create_run', { locations: MACHINES, meta, details: true }),
  )
  expect([whole.id, whole.line_items.length]).toEqual([small.id, 36])
  expect(whole).not.toHaveProperty('next')
})

test('an entry of a list is summed up, and a long text in it cut', async () => {
  const service = await startRoute()
  const reasoning = '茶'.repeat(500)
  await service.post('/events', { kind: 'note', summary: 'Seen', reasoning })
  const { events }: Json = JSON.parse(await textOf(service, 'vending_list_events', { kind: 'note' }))
  expect(events).toMatchObject([{ summary: 'Seen', reasoning: `${'茶'.repeat(200)}…` }])
  const { events: whole }: Json = JSON.parse(
    await textOf(service, 'vending_list_events', { kind: 'note', details: true }),
  )
  expect(whole[0].reasoning).toBe(reasoning)
  const { orders }: Json = JSON.parse(await textOf(service, 'vending_list_orders', {}))
  expect(orders).toHaveLength(20)
  for (const order of orders) {
    expect(order).toMatchObject({ id: expect.any(String), kind: 'sale', totals: expect.any(Array) })
    expect(Buffer.byteLength(JSON.stringify(order))).toBeLessThanOrEqual(600)
  }
})

test('what a caller may not do is not named as the next step', async () => {
  const service = await startTwelves()
  const headers = { 'x-mcp-toolsets': 'replenishment' }
  const created = (await callTool(service, 'vending_create_run', { locations: MACHINES }, { headers })).body.result
  expect(created.structuredContent.next).toEqual([{ tool: 'vending_place_run', id: created.structuredContent.id }])
  service.writeRules(withRules({ spendingLimitPerRun: 100 }))
  const asked = (await callTool(service, 'vending_create_run', { locations: MACHINES }, { headers })).body.result
  expect(asked.structuredContent.status).toBe('pending_approval')
  expect(asked.structuredContent).not.toHaveProperty('next')
  const inFull = (await callTool(service, 'vending_create_run', { locations: MACHINES })).body.result.structuredContent
  expect(inFull.next).toEqual([{ tool: 'vending_get_approval', id: expect.stringMatching(/^dec-/) }])
})

test('details is true or false', async () => {
  const service = await startRoute()
  const { result } = (await callTool(service, 'vending_list_runs', { details: 'yes' })).body
  expect(result.structuredContent.messages).toMatchObject([{ code: 'invalid', path: '$.details' }])
  expect(TOOLS.filter(({ ucp, brief }) => ucp && brief)).toEqual([])
})
