/** A service with two machine platforms that both know a machine M1 with a product G-0001. */
import type { Namespace } from '../../src/kernel/ids.ts'
import { cachedMachine, cachedSupply } from '../../src/vendors/cache/cached-vendors.ts'
import { registerLive, ROLE_CAPABILITIES } from '../../src/vendors/registry.ts'
import { manualClock } from '../../src/kernel/clock.ts'
import { machineSlot, scriptedMachine, scriptedSupply } from '../support/scripted-vendors.ts'
import { NOW, startService } from '../support/service.ts'

export const FIRST = 'acme-machine' as Namespace
export const SECOND = 'beta-machine' as Namespace

export async function startTwoPlatforms(options: { readonly timeZone?: string } = {}) {
  const clock = manualClock(NOW)
  const first = scriptedMachine({ M1: [machineSlot('G-0001', { stock: 3 })] })
  const second = scriptedMachine({ M1: [machineSlot('G-0001', { stock: 9 })] })
  const capabilities = [...ROLE_CAPABILITIES.machine, 'locations', 'health'] as const
  const service = await startService({
    clock,
    ...(options.timeZone === undefined ? {} : { config: { timeZone: options.timeZone } }),
    entries: [
      registerLive('acme-supply' as Namespace, cachedSupply(scriptedSupply().vendor, clock)),
      registerLive(FIRST, cachedMachine(first.vendor, clock), capabilities),
      registerLive(SECOND, cachedMachine(second.vendor, clock), capabilities),
    ],
  })
  return { service, first, second, clock }
}
