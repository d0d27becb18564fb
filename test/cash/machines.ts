/** A route whose platform counts cash: M1 and M2, and M3 of which it says nothing. */
import { fen } from '../../src/kernel/fen.ts'
import { type Clock, manualClock } from '../../src/kernel/clock.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { cachedMachine } from '../../src/vendors/cache/cached-vendors.ts'
import { registerLive, ROLE_CAPABILITIES } from '../../src/vendors/registry.ts'
import { machineSlot, scriptedMachine } from '../support/scripted-vendors.ts'
import { type Service, NOW, startService } from '../support/service.ts'

export const countingPlatform = (clock: Clock) => {
  const machine = scriptedMachine(
    Object.fromEntries(['M1', 'M2', 'M3'].map((id) => [id, [machineSlot('G-1', { stock: 5 })]])),
  )
  const entry = registerLive('acme-machine' as Namespace, cachedMachine(machine.vendor, clock), [
    ...ROLE_CAPABILITIES.machine,
    'cash',
  ])
  return { machine, entry }
}

export async function startCounting(options: Parameters<typeof startService>[0] = {}) {
  const clock = manualClock(NOW)
  const { machine, entry } = countingPlatform(clock)
  const service = await startService({ clock, entries: [entry], ...options })
  for (const id of ['M1', 'M2', 'M3']) await service.put(`/locations/${id}`, { name: `Hall ${id}` })
  /** The counters of a machine since the start of the test: minutes after it, and what was taken since the entry before. */
  const count = async (
    location: string,
    from: number,
    until: number,
    taken: readonly (readonly [minute: number, amount: number | null])[],
  ) => {
    const at = (minute: number) => NOW + minute * 60_000
    machine.cash.set(location, {
      fromMs: at(from),
      untilMs: at(until),
      taken: taken.map(([minute, amount]) => ({ at: at(minute), amountFen: amount === null ? null : fen(amount) })),
    })
    const answer = await service.post('/locations/sync')
    if (answer.status !== 200) throw new Error(answer.text)
  }
  return { service, clock, machine, count }
}

export const collect = (service: Service, location: string, amount: number, more: object = {}) =>
  service.post(`/locations/${location}/service`, { cash: { amount, ...more } })
