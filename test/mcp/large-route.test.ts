/** A route of 500 machines: what the tools answer by default is small enough for an agent to hold, and the rest can be reached. */
import { expect, test } from 'vitest'
import { TOOLS } from '../../src/contract/tools.ts'
import { fen } from '../../src/kernel/fen.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { TOOLSETS } from '../../src/kernel/toolsets.ts'
import { registerLive } from '../../src/vendors/registry.ts'
import { addKey } from '../people/keys.ts'
import { salesOf, sync } from '../replenishment/route.ts'
import { callTool } from '../support/mcp.ts'
import { machineSlot, scriptedMachine, scriptedSupply, supplyProduct } from '../support/scripted-vendors.ts'
import { startService } from '../support/service.ts'
import type { Json, Service } from '../support/service.ts'

const IDS = Array.from({ length: 500 }, (_, n) => `M${1000 + n}`)
const EAN = ['6901234567892', '6901234567908', '6901234567915', '6901234567922']
const ADDRESS = { city: '上海', address: '浦东新区张江高科技园区张江路 88 号 3 号楼大堂' }
const BYTES_MAX = 60_000

/** Registers one machine, and the others as copies of its row. */
async function registerAll(service: Service): Promise<void> {
  const [first, ...others] = IDS
  await service.put(`/locations/${first}`, { name: `一楼大堂 ${first}`, profile: ADDRESS })
  const { db } = service.ctx.store
  const row = await db.selectFrom('location').selectAll().executeTakeFirstOrThrow()
  for (let from = 0; from < others.length; from += 50)
    await db
      .insertInto('location')
      .values(others.slice(from, from + 50).map((id) => ({ ...row, id, name: `一楼大堂 ${id}` })))
      .execute()
}

async function startLargeRoute() {
  const shelf = EAN.map((barcode, n) =>
    machineSlot(`G-${n}`, { title: `农夫山泉 饮用天然水 ${n} 550ml`, priceFen: fen(300), stock: n, barcode }),
  )
  const machine = scriptedMachine(
    Object.fromEntries(IDS.map((id) => [id, [...shelf]])),
    IDS.flatMap((location) => salesOf({ location, vendorSku: 'G-0', perDay: 1, days: 8 })),
  )
  machine.roster.push(...IDS.map((id) => ({ id, name: `一楼大堂 ${id}` })))
  const supply = scriptedSupply(
    EAN.map((barcode, n) => supplyProduct(`SP${n}`, { title: `农夫山泉 ${n}`, barcode, eachPriceFen: fen(120) })),
  )
  const packs = IDS.map((id) => ({
    vendorSku: id,
    title: `农夫山泉 ${id}`,
    text: '箱',
    reason: 'unknown_size' as const,
    packPriceFen: fen(2400),
  }))
  const service = await startService({
    entries: [
      registerLive('acme-supply' as Namespace, { ...supply.vendor, askedPacks: () => packs }),
      registerLive('acme-machine' as Namespace, machine.vendor, ['inventory', 'ledger', 'locations']),
    ],
    config: { mcp: { toolsets: new Set(TOOLSETS), readOnly: false } },
  })
  await registerAll(service)
  await sync(service)
  const { key: token } = await addKey(service, 'owner', 'Ann')
  for (let n = 0; n < 24; n++) await addKey(service, 'driver', `司机 ${n}`)
  const run: string = (await service.post('/replenishment/runs', undefined, { token })).body.id
  const call = async (name: string, args: object): Promise<Json> =>
    (await callTool(service, name, args, { token })).body.result
  return { call, run }
}

/** Every reading tool, with the arguments that it cannot do without. */
const argumentsOf = (run: string): Readonly<Record<string, object>> => ({
  searchCatalog: { catalog: { filters: { namespace: 'acme-supply' } } },
  lookupCatalog: { catalog: { ids: EAN.map((_, n) => `acme-supply:SP${n}`) } },
  getProduct: { catalog: { id: 'acme-supply:SP1' } },
  getSku: { sku_id: 'acme-machine:G-1' },
  resolveSkus: { ids: ['acme-machine:G-1'], to_namespace: 'acme-supply' },
  searchLocations: { location: {} },
  lookupLocations: { location: { ids: IDS.slice(0, 50) } },
  listPlatformLocations: { namespace: 'acme-machine' },
  listPacks: { namespace: 'acme-supply' },
  getLocationHistory: { id: IDS[0] },
  getCalendar: { id: IDS[0] },
  getLayout: { location: IDS[0] },
  getRun: { id: run },
  getPickList: { id: run },
})
/** They read one thing that this route does not have. */
const SINGLE = new Set<string>(['getCheckout', 'getOrder', 'getApproval', 'getShift'])
/** Their lists are about one thing: the members of a document, not entries to page through. */
const DOCUMENTS = new Set<string>([
  'getRun',
  'getPickList',
  'getTrips',
  'getLocationHistory',
  'lookupLocations',
  'getPlan',
  'getGuardrails',
])

test(
  'every reading tool answers with at most 60,000 bytes, and lists with 20 entries',
  { timeout: 240_000 },
  async () => {
    const { call, run } = await startLargeRoute()
    const given = argumentsOf(run)
    for (const tool of TOOLS.filter(({ readOnly, operationId }) => readOnly && !SINGLE.has(operationId))) {
      const result = await call(tool.name, given[tool.operationId] ?? {})
      expect(result, tool.name).not.toHaveProperty('isError')
      expect(Buffer.byteLength(result.content[0].text), tool.name).toBeLessThanOrEqual(BYTES_MAX)
      if (DOCUMENTS.has(tool.operationId)) continue
      for (const [member, value] of Object.entries<Json>(result.structuredContent))
        if (Array.isArray(value)) expect(value.length, `${tool.name} ${member}`).toBeLessThanOrEqual(20)
    }

    // What is cut says so, keeps something of every list, and can be read in parts.
    const whole = await call('vending_get_run', { id: run })
    expect(whole._meta['vendops/truncated'].slice(0, 2)).toMatchObject([
      { member: 'line_items', total: 500 },
      { member: 'fulfillment.expectations', total: 500 },
    ])
    expect(whole.structuredContent.line_items.length).toBeGreaterThan(40)
    expect(whole.structuredContent.fulfillment.expectations.length).toBeGreaterThan(40)
    const last = IDS.at(-1)
    const part = (await call('vending_get_run', { id: run, location: last })).structuredContent
    expect(part.line_items.map(({ location }: Json) => location)).toEqual([last])
    expect(part.fulfillment.expectations.map(({ id }: Json) => id)).toEqual([`visit-${last}`])
    expect(part.totals).toEqual(whole.structuredContent.totals)
    const stops = (await call('vending_get_pick_list', { id: run, location: last })).structuredContent.stops
    expect(stops.map(({ location }: Json) => location)).toEqual([last])

    // Every entry of a list that was whole before is on one page.
    for (const [name, args, member] of [
      ['vending_list_platform_locations', { namespace: 'acme-machine' }, 'locations'],
      ['vending_list_people', {}, 'people'],
    ] as const) {
      const ids: string[] = []
      for (let cursor: string | undefined; ;) {
        const page = (await call(name, { ...args, cursor })).structuredContent
        ids.push(...page[member].map(({ id }: Json) => id))
        if (!page.pagination.has_next_page) break
        cursor = page.pagination.cursor
      }
      expect(new Set(ids).size, name).toBe(ids.length)
      expect(ids.length, name).toBe(member === 'people' ? 25 : 500)
    }
  },
)
