/** A supplier and a machine platform over real HTTP that take their time for every write and note each one that arrives. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { manualClock } from '../../src/kernel/clock.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { acmeMachine } from '../../src/vendors/acme/machine.ts'
import { acmeSupply } from '../../src/vendors/acme/supply.ts'
import { cachedMachine, cachedSupply } from '../../src/vendors/cache/cached-vendors.ts'
import type { SendPermit } from '../../src/vendors/contract.ts'
import type { MachineVendor } from '../../src/vendors/machine-vendor.ts'
import type { SupplyVendor } from '../../src/vendors/supply-vendor.ts'
import { registerLive } from '../../src/vendors/registry.ts'
import type { RegisteredVendor } from '../../src/vendors/registry.ts'
import { NOW } from '../support/service.ts'

const WORK_MS = 500
const TIMEOUT_MS = 20_000
/** The event loop accepts one connection per turn; this is more than there can be that stand and were not accepted yet. */
const DRAIN_TURNS = 150

const GOODS = {
  goodsNo: 'SP1001',
  goodsName: '水',
  packNum: 24,
  packPrice: '28.80',
  unitPrice: null,
  stockNum: 1_000_000,
  status: 1,
}
const SLOT = { goodsCode: 'G-0001', goodsName: '可乐', salePrice: 250, stock: 7 }

export async function slowUpstreams() {
  const orders = new Map<string, string>()
  const arrived: string[] = []

  async function answer(method: string, path: string, body: string): Promise<unknown> {
    const ok = (data: unknown) => ({ code: 0, msg: 'ok', data, success: true, result: data })
    if (path === '/api/token') return ok({ token: 'token', expireIn: 7200 })
    if (method === 'POST') {
      arrived.push(path)
      await sleep(WORK_MS)
      if (path !== '/open/orders') return ok({ count: 1 })
      const { outOrderNo } = JSON.parse(body) as { outOrderNo: string }
      const orderNo = `AS${orders.size + 1}`
      orders.set(outOrderNo, orderNo)
      return ok({ orderNo, outOrderNo })
    }
    if (path.startsWith('/open/goods')) return ok({ total: 1, pageNo: 1, pageSize: 100, list: [GOODS] })
    if (path.startsWith('/open/sites')) return ok([])
    if (path.startsWith('/open/orders/')) return { code: 40400, msg: 'no such order', data: null }
    return ok([SLOT])
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    outgoing.setHeader('content-type', 'application/json')
    const reply = await answer(incoming.method ?? '', incoming.url ?? '', Buffer.concat(chunks).toString())
    outgoing.end(JSON.stringify(reply))
  }
  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing).catch(() => outgoing.destroy()))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  return {
    /** Supplier's order numbers by ours. */
    orders,
    /** Paths of the writes, in the order in which they came. */
    arrived,
    /** Until everything that was written to a socket before has arrived. */
    async drain(): Promise<void> {
      for (let n = 0; n < DRAIN_TURNS; n++) await turn()
    },
    /** The real adapters, as one instance has them. `onGrant` is called immediately before each first byte. */
    entries(onGrant: () => void): readonly RegisteredVendor[] {
      const clock = manualClock(NOW)
      const options = { url, timeoutMs: TIMEOUT_MS, clock }
      const supply = acmeSupply({ ...options, appKey: 'key', appSecret: 'secret' })
      const machine = acmeMachine({ ...options, clientId: 'id', clientSecret: 'secret' })
      onTestFinished(async () => void (await Promise.all([supply.close(), machine.close()])))
      const watched =
        (permit: SendPermit): SendPermit =>
        (write) =>
          permit(() => {
            onGrant()
            write()
          })
      const supplier: SupplyVendor = {
        ...supply,
        createOrder: (order, permit) => supply.createOrder(order, watched(permit)),
      }
      const platform: MachineVendor = {
        ...machine,
        updatePrices: (id, prices, permit) => machine.updatePrices(id, prices, watched(permit)),
        restockRecommend: (id, ref, lines, permit) => machine.restockRecommend(id, ref, lines, watched(permit)),
      }
      return [
        registerLive('acme-supply' as Namespace, cachedSupply(supplier, clock)),
        registerLive('acme-machine' as Namespace, cachedMachine(platform, clock)),
      ]
    },
  }
}
