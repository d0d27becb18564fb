/** The machines that a platform knows, where it can list them. */
import { isTimeZone } from '../../kernel/clock.ts'
import type { Namespace } from '../../kernel/ids.ts'
import type { MachineLocation } from '../../vendors/machine-vendor.ts'
import type { Context } from '../../context.ts'

/** By machine id. Empty where the platform cannot list them, or does not answer: nothing depends on it. */
export async function listPlatformMachines(
  { vendors, log }: Pick<Context, 'vendors' | 'log'>,
  namespace: Namespace,
): Promise<ReadonlyMap<string, MachineLocation>> {
  const platform = vendors.machine(namespace)
  if (!platform.ok || !platform.value.locations || !vendors.supports(namespace, 'locations')) return new Map()
  const roster = await platform.value.locations()
  if (!roster.ok) {
    log.warn(
      { namespace, reason: roster.reason, text: roster.message },
      'The machines of a platform could not be listed',
    )
    return new Map()
  }
  return new Map(roster.value.map((machine) => [machine.id, withValidZone(machine)]))
}

/** A zone that no clock knows counts as none. */
function withValidZone(machine: MachineLocation): MachineLocation {
  const { timeZone, ...rest } = machine
  return timeZone !== undefined && isTimeZone(timeZone) ? machine : rest
}
