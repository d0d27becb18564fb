/** A driver's round while the service is killed: every stop is booked once, whatever was answered. */
import { expect, test } from 'vitest'
import type { Json } from '../support/service.ts'
import { startDeployment } from './processes.ts'

/** Written but not committed: lost with the process. Committed but not answered: booked. */
const KILLED_AT = [
  { at: 'stop_written', again: 200 },
  { at: 'stop_booked', again: 409 },
] as const

test(
  '11 kill -9 between the writes of a stop and their commit, and after it: nothing is booked twice, nothing is lost',
  { timeout: 300_000 },
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
    expect(stops.length).toBeGreaterThan(KILLED_AT.length)
    const linesAt = (location: string) =>
      placed.line_items
        .filter((line: Json) => line.location === location && line.status !== 'removed')
        .map(({ slot_id, quantity }: Json) => ({ slot_id, quantity: quantity.total }))
    const receive = (location: string) =>
      call('POST', `/replenishment/runs/${placed.id}/visits/${location}/receive`, { delivered: linesAt(location) })

    instance.kill()
    await instance.gone
    for (const [i, { at, again }] of KILLED_AT.entries()) {
      const location = stops[i]!
      instance = await start(at)
      await Promise.all([receive(location).catch(() => {}), instance.gone])
      instance = await start()
      // Repeated as a request of its own: what was booked counts, not what was answered.
      expect([at, (await receive(location)).status]).toEqual([at, again])
      const refused = await receive(location)
      expect([refused.status, refused.body.messages[0].code]).toEqual([409, 'already_delivered'])
      if (i === KILLED_AT.length - 1) break
      instance.kill()
      await instance.gone
    }
    for (const location of stops.slice(KILLED_AT.length)) expect((await receive(location)).status).toBe(200)

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
