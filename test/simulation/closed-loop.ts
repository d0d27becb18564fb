/**
 * A route played day by day through the whole service: real adapters over real sockets, a simulated world that nobody
 * else restocks, an operator who makes, places and receives runs, and an owner who answers what waits.
 */
import { onTestFinished } from 'vitest'
import { DAY, HOUR, localDay, manualClock, startOfDay } from '../../src/kernel/clock.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { startSimulator } from '../../src/simulator/start.ts'
import { acmeMachine } from '../../src/vendors/acme/machine.ts'
import { acmeSupply } from '../../src/vendors/acme/supply.ts'
import { cachedMachine, cachedSupply } from '../../src/vendors/cache/cached-vendors.ts'
import { registerLive } from '../../src/vendors/registry.ts'
import { startService } from '../support/service.ts'
import type { Json, Service, ServiceOptions } from '../support/service.ts'

const ZONE = 'Asia/Shanghai'
const BEGINS = Date.parse('2026-06-01T00:30:00+08:00')
const SYNC_HOURS = [1, 7, 16]
const ORDER_HOUR = 8
const LOAD_HOUR = 10
const LEAD_DAYS = 2

export interface LoopOptions {
  readonly days: number
  readonly machines: number
  readonly seed: number
  readonly service?: ServiceOptions
  /** Just before the day's run is made. */
  readonly beforeOrder?: (service: Service, day: number) => Promise<void>
}

export interface Loop {
  readonly service: Service
  readonly runs: readonly Json[]
  readonly sold: number
  readonly lost: number
  readonly visits: number
  readonly revenueFen: number
  readonly orderedUnits: number
  readonly loadedUnits: number
  readonly spentFen: number
  readonly approvals: number
  /** Orders for a slot that was still waiting for an earlier one. */
  readonly twice: readonly string[]
}

export async function playRoute({ days, machines, seed, service: options, beforeOrder }: LoopOptions): Promise<Loop> {
  const clock = manualClock(BEGINS)
  const simulator = await startSimulator({ seed, clock, machines, restocking: 'none', stockLevel: 100 })
  onTestFinished(() => simulator.close())
  const adapter = { clock, timeoutMs: 10_000 }
  const supply = acmeSupply({ url: simulator.supplyUrl, ...simulator.supply, ...adapter })
  const machine = acmeMachine({ url: simulator.machineUrl, ...simulator.machine, ...adapter })
  onTestFinished(async () => void (await Promise.all([supply.close(), machine.close()])))
  const service = await startService({
    ...options,
    clock,
    entries: [
      registerLive('acme-supply' as Namespace, cachedSupply(supply, clock)),
      registerLive('acme-machine' as Namespace, cachedMachine(machine, clock)),
    ],
  })
  for (const { id, name, profile } of simulator.machines()) await service.put(`/locations/${id}`, { name, profile })

  const under = new Map<string, string>()
  const twice: string[] = []
  const runs: Json[] = []
  const expected: { run: Json; dueAt: number }[] = []
  const sums = { orderedUnits: 0, loadedUnits: 0, spentFen: 0, approvals: 0 }

  const must = async (answer: Promise<{ status: number; body: Json; text: string }>, status = 200): Promise<Json> => {
    const { status: got, body, text } = await answer
    if (got !== status) throw new Error(`${got}: ${text}`)
    return body
  }

  async function order(): Promise<void> {
    const made = await must(service.post('/replenishment/runs'), 201)
    runs.push(made)
    if (made.status === 'nothing_to_do') return
    if (made.status === 'pending_approval') {
      const [{ id }] = made.actions['com.example.vending.approval']
      await must(service.post(`/approvals/${id}`, { approved: true }))
      sums.approvals++
    }
    const run = await must(service.post(`/replenishment/runs/${made.id}/place`))
    for (const { slot_id, quantity } of run.line_items) {
      if (under.has(slot_id)) twice.push(slot_id)
      under.set(slot_id, run.id)
      sums.orderedUnits += quantity.total
    }
    sums.spentFen += run.totals.at(-1).amount
    expected.push({ run, dueAt: clock.now() + LEAD_DAYS * DAY })
  }

  async function load(): Promise<void> {
    while (expected[0] && expected[0].dueAt <= clock.now() + 2 * HOUR) {
      const { run } = expected.shift()!
      simulator.advance()
      const byMachine = Map.groupBy(run.line_items as Json[], ({ location }) => location as string)
      const delivered = [...byMachine].flatMap(([location, lines]) => {
        const loads = lines.map(({ item, quantity }) => ({
          goodsCode: item.id.split(':')[1],
          quantity: quantity.total,
        }))
        return simulator.world
          .deliver(location, loads)
          .map(({ loaded }, i) => ({ slot_id: lines[i].slot_id as string, quantity: loaded }))
      })
      await must(service.post(`/replenishment/runs/${run.id}/receive`, { delivered }))
      for (const { slot_id, quantity } of delivered) {
        under.delete(slot_id)
        sums.loadedUnits += quantity
      }
    }
  }

  const firstDay = startOfDay(localDay(BEGINS, ZONE), ZONE)
  for (let day = 0; day < days; day++)
    for (const hour of [...SYNC_HOURS, ORDER_HOUR, LOAD_HOUR].toSorted((a, b) => a - b)) {
      clock.set(firstDay + day * DAY + hour * HOUR)
      simulator.advance()
      if (hour === ORDER_HOUR) {
        await beforeOrder?.(service, day)
        await order()
      } else if (hour === LOAD_HOUR) await load()
      else {
        await must(service.post('/locations/sync'))
        await service.job('record-forecasts')
      }
    }

  const tally = simulator.world.tally(firstDay, clock.now())
  const total = (of: 'sold' | 'lost' | 'visits' | 'revenueFen') => tally.reduce((sum, row) => sum + row[of], 0)
  return {
    service,
    runs,
    twice,
    ...sums,
    sold: total('sold'),
    lost: total('lost'),
    visits: total('visits'),
    revenueFen: total('revenueFen'),
  }
}
