/**
 * Nayax Lynx as its description and its real replies have it: numbers as ids, times without `Z`, no envelopes, a product
 * map whose PUT sets what is left out to null and answers with another row.
 */
import { laneRow, productRow, saleRow } from '../../src/vendors/nayax-lynx/fixtures.test-support.ts'
import { ENTITY_FIELDS } from '../../src/vendors/nayax-lynx/price-writes.ts'
import { isFields, list, object } from '../../src/vendors/upstream/read-json.ts'
import { scriptedUpstream, StatusReply } from './scripted-upstream.ts'
import type { Received, ScriptedUpstream } from './scripted-upstream.ts'

export const REFRESH_TOKEN = 'refresh-token-never-shown'
export const OPERATOR_ID = '2001'

type Row = Record<string, unknown>

export const machineRow = (id: number, more: Row = {}): Row => ({
  MachineID: id,
  MachineName: `Machine ${id}`,
  MachineNumber: String(id - 7000),
  MachineStatusBit: 1,
  CurrencyID: 1,
  MachineTimeZoneOffset: -6,
  GeoAddress: 'Main Street',
  GeoStreetNumber: '5',
  GeoZipCode: '78701',
  GeoCity: 'Austin',
  GeoState: 'TX',
  ...more,
})

/** One call with its reply, to compare with the vendor's description. */
export interface Exchange {
  readonly request: Received
  readonly status: number
  readonly json: unknown
}

export interface LynxUpstream extends ScriptedUpstream {
  machines: Row[]
  products: Row[]
  readonly lanes: Map<string, Row[]>
  readonly sales: Map<string, Row[]>
  readonly statuses: Map<string, Row>
  readonly alerts: Map<string, Row[]>
  /** Quantities by lane id. */
  readonly pickLists: Map<string, ReadonlyMap<number, number>>
  readonly exchanges: Exchange[]
  readonly tokensGiven: string[]
  /** The token in use is refused from now on. */
  killToken(): void
  /** As the description wants them; the real ones have no `Z`. */
  writesTimesWithZone: boolean
  /** A server that gives fewer rows than the limit of a request. */
  largestPage: number
}

const NOT_FOUND = () => new StatusReply(404, { Message: 'not found' })

export async function lynxUpstream(): Promise<LynxUpstream> {
  let valid: string | undefined
  const tokensGiven: string[] = []
  const exchanges: Exchange[] = []
  const world = {
    machines: [machineRow(7001), machineRow(7002, { MachineName: null, GeoAddress: null, GeoStreetNumber: null })],
    products: [productRow(501), productRow(502)] as Row[],
    lanes: new Map<string, Row[]>([
      ['7001', [laneRow(1), laneRow(2)]],
      ['7002', []],
    ]),
    sales: new Map<string, Row[]>([
      [
        '7001',
        [
          saleRow(2),
          saleRow(1, {
            SettlementValue: 0,
            ProductName: 'Soda 502(2, A2 = 1.50)',
            AuthorizationDateTimeGMT: '2026-09-19T10:00:00.8',
          }),
        ],
      ],
    ]),
    statuses: new Map<string, Row>(),
    alerts: new Map<string, Row[]>(),
    pickLists: new Map<string, ReadonlyMap<number, number>>(),
    exchanges,
    tokensGiven,
    writesTimesWithZone: false,
    largestPage: 100,
    killToken: () => void (valid = undefined),
  }

  function giveToken({ headers }: Received) {
    if (headers.authorization !== `jwt ${REFRESH_TOKEN}`)
      return new StatusReply(401, { Message: `no ${REFRESH_TOKEN}` })
    valid = `token-${tokensGiven.length + 1}`
    tokensGiven.push(valid)
    return { Token: valid }
  }

  const pageOf = (rows: readonly Row[], query: URLSearchParams) => {
    const offset = Number(query.get('ResultsOffset'))
    return rows.slice(offset, offset + Math.min(Number(query.get('ResultsLimit')), world.largestPage))
  }

  function putLane(machine: string, laneId: string, body: unknown) {
    const rows = world.lanes.get(machine) ?? []
    const row = rows.find((lane) => String(lane['MachineProductID']) === laneId)
    if (!row || !isFields(body)) return NOT_FOUND()
    if (Object.keys(body).some((field) => !(field in ENTITY_FIELDS)))
      return new StatusReply(400, { Message: 'unknown field' })
    for (const field of Object.keys(ENTITY_FIELDS)) row[field] = body[field] ?? null
    return rows[0]
  }

  function generatePickList(machine: string) {
    const rows = world.lanes.get(machine) ?? []
    world.pickLists.set(
      machine,
      new Map(rows.map((lane) => [Number(lane['MachineProductID']), Number(lane['MissingStockByMDB'] ?? 0)])),
    )
    return new StatusReply(204)
  }

  const listPickList = (machine: string) =>
    (world.lanes.get(machine) ?? [])
      .filter((lane) => world.pickLists.get(machine)?.has(Number(lane['MachineProductID'])))
      .map((lane) => ({
        NayaxProductID: lane['NayaxProductID'],
        MachineID: Number(machine),
        MDBCode: lane['MDBCode'],
        PACode: lane['PACode'],
        PAR: lane['PAR'],
        OnHandStock: 3,
        MissingStock: 4,
        ProductName: 'Soda',
      }))

  function updatePickLists(body: unknown) {
    return list(body, 'body').map((entry) => {
      const { MachineId, Products } = object(entry, 'machine')
      const products = list(Products, 'Products').map((product) => object(product, 'product'))
      const quantities = products.map(
        ({ MachineProductId, PickQty }) => [Number(MachineProductId), Number(PickQty)] as const,
      )
      world.pickLists.set(String(MachineId), new Map(quantities))
      return {
        MachineID: MachineId,
        Products: products.map(({ MachineProductId }) => ({ MachineProductID: MachineProductId })),
      }
    })
  }

  function answer(request: Received): unknown {
    const { method } = request
    const url = new URL(request.path, 'http://upstream')
    if (url.pathname === '/v1/issue-access-token') return giveToken(request)
    if (!valid || request.headers.authorization !== `Bearer ${valid}`)
      return new StatusReply(401, { Message: 'token expired' })
    const path = url.pathname.replace('/operational', '')
    const body: unknown = request.body === '' ? undefined : JSON.parse(request.body)
    if (path === '/v1/machines') return pageOf(world.machines, url.searchParams)
    if (path === '/v1/currencies')
      return [
        { CurrencyID: 1, CurrencyCode: 'USD' },
        { CurrencyID: 2, CurrencyCode: 'EUR' },
      ]
    if (path === `/v1/operators/${OPERATOR_ID}/products`) return world.products
    if (path === '/v1/machines/inventory/picklists/update' && method === 'PUT') return updatePickLists(body)
    const [, machine = '', what, lane = ''] = /^\/v1\/machines\/(\d+)\/(\w+)(?:\/(\d+))?$/.exec(path) ?? []
    if (!world.machines.some((row) => String(row['MachineID']) === machine)) return NOT_FOUND()
    if (method === 'PUT' && what === 'machineProducts') return putLane(machine, lane, body)
    if (method === 'POST' && what === 'pickList') return generatePickList(machine)
    if (method !== 'GET') return NOT_FOUND()
    if (what === 'machineProducts') return world.lanes.get(machine) ?? []
    if (what === 'lastSales') return world.sales.get(machine) ?? []
    if (what === 'pickList') return listPickList(machine)
    if (what === 'status')
      return (
        world.statuses.get(machine) ?? {
          MachineID: Number(machine),
          MachineMQTTStatus: true,
          LastKeepAliveDateTime: '2026-09-19T23:00:00.5',
        }
      )
    if (what === 'lastAlerts') return world.alerts.get(machine) ?? []
    return NOT_FOUND()
  }

  const upstream = await scriptedUpstream((request) => {
    const reply = answer(request)
    const { status, json } = reply instanceof StatusReply ? reply : new StatusReply(200, reply)
    const sent = world.writesTimesWithZone ? withZones(json) : json
    exchanges.push({ request, status, json: structuredClone(sent) })
    return new StatusReply(status, sent)
  })
  return Object.assign(world, upstream)
}

const withZones = (json: unknown): unknown =>
  json === undefined
    ? undefined
    : JSON.parse(JSON.stringify(json), (_key, value: unknown) =>
        typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+$/.test(value) ? `${value}Z` : value,
      )
