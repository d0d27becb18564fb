/** The vendors of a deployment: live where their variables are set, planned where they are not. */
import type { Config } from '../config.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Namespace } from '../kernel/ids.ts'
import type { Log } from '../kernel/log.ts'
import { acmeMachine } from './acme/machine.ts'
import { acmeSupply } from './acme/supply.ts'
import { cachedMachine, cachedSupply } from './cache/cached-vendors.ts'
import type { CallRecord } from './upstream/client.ts'
import { live, planned, registry } from './registry.ts'
import type { Registry } from './registry.ts'

export type Upstreams = Pick<Config, 'acmeSupply' | 'acmeMachine'>

export interface Deployment {
  readonly vendors: Registry
  close(): Promise<void>
}

export function deployVendors(
  { acmeSupply: supply, acmeMachine: machine }: Upstreams,
  needs: { readonly clock: Clock; readonly log: Log; readonly timeoutMs: number },
): Deployment {
  const { clock, log, timeoutMs } = needs
  const options = (namespace: string) => ({
    clock,
    timeoutMs,
    observe: (call: CallRecord) => {
      if (call.outcome === 'ok') log.debug({ namespace, ...call }, 'upstream answered')
      else log.warn({ namespace, ...call }, 'upstream call failed')
    },
    notice: (text: string) => log.warn({ namespace }, text),
  })
  const suppliers = supply && acmeSupply({ ...supply, ...options('acme-supply') })
  const machines = machine && acmeMachine({ ...machine, ...options('acme-machine') })
  const supplyNamespace = 'acme-supply' as Namespace
  const machineNamespace = 'acme-machine' as Namespace
  return {
    vendors: registry([
      suppliers ? live(supplyNamespace, cachedSupply(suppliers, clock)) : planned(supplyNamespace),
      machines ? live(machineNamespace, cachedMachine(machines, clock)) : planned(machineNamespace),
    ]),
    close: async () => void (await Promise.all([suppliers?.close(), machines?.close()])),
  }
}
