/** A driver's round while the service is killed: every stop is booked once, whatever was answered. */
import { expect, test } from 'vitest'
import { DATABASE } from '../support/database.ts'
import type { Json } from '../support/service.ts'
import { startDeployment } from './processes.ts'

/** How long after sending a receipt the process is killed: about when it is booked. Once on each database: it takes long. */
const KILLED_AFTER_MS = DATABASE === 'sqlite' ? [6] : [20]

test(
  '11 kill -9 between and during stops: nothing is booked twice, nothing is lost',
  { timeout: 180_000 },
  async () => {
    const { start } = await startDeployment({ env: { VENDOPS_ENV: 'staging' } })
    let instance = await start()
    const call: (typeof instance)['call'] = (...args) => instance.call(...args)
    const { body: route } = await call('POST', '/locations/search', {})
    const locations = route.locations.map(({ id }: Json) => id)
    const { body: created } = await call('POST', '/replenishment/runs', { locations })
    const [waiting] = Object.values<Json[]>(created.actions ?? {}).flat()
    if (waiting) await call('POST', `/approvals/${waiting.id}`, { approved: true })
    const { body: placed } = await call('POST', `/replenishment/runs/${created.id}/place`)
    const stops: string[] = placed.visits.map(({ location }: Json) => location)
    expect(stops.length).toBeGreaterThan(KILLED_AFTER_MS.length)
    const linesAt = (location: string) =>
      placed.line_items
        .filter((line: Json) => line.location === location && line.status !== 'removed')
        .map(({ slot_id, quantity }: Json) => ({ slot_id, quantity: quantity.total }))
    const receive = (location: string) =>
      call('POST', `/replenishment/runs/${placed.id}/visits/${location}/receive`, { delivered: linesAt(location) })

    for (const [i, ms] of KILLED_AFTER_MS.entries()) {
      const location = stops[i]!
      const lost = receive(location).catch(() => {})
      setTimeout(() => instance.kill(), ms)
      await Promise.all([lost, instance.gone])
      instance = await start()
      // Repeated as a request of its own: what was booked counts, not what was answered.
      expect([200, 409]).toContain((await receive(location)).status)
      const refused = await receive(location)
      expect([refused.status, refused.body.messages[0].code]).toEqual([409, 'already_delivered'])
    }
    for (const location of stops.slice(KILLED_AFTER_MS.length)) expect((await receive(location)).status).toBe(200)

    const { body: done } = await call('GET', `/replenishment/runs/${placed.id}`)
    expect(done.status).toBe('delivered')
    const delivered = done.fulfillment.events
      .filter(({ type }: Json) => type === 'delivered')
      .flatMap(({ line_items }: Json) => line_items.map(({ id }: Json) => id))
    expect(delivered.length).toBe(new Set(delivered).size)
    expect(delivered.length).toBe(placed.line_items.filter(({ status }: Json) => status !== 'removed').length)
    expect(new Set(done.visits.map(({ service_id }: Json) => service_id)).size).toBe(stops.length)
  },
)
