/** The machines that a platform knows, so that operators need not type their ids. */
import type { PlatformLocation } from '../../contract/shapes/connection.ts'
import { type Namespace, parseLocationId } from '../../kernel/ids.ts'
import { type Outcome, accept, refuse } from '../../kernel/outcome.ts'
import type { Result } from '../../vendors/contract.ts'
import type { MachineLocation } from '../../vendors/machine-vendor.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import { failUnsupported } from '../../vendors/result.ts'
import type { Context } from '../../context.ts'
import { listLocations } from '../locations/index.ts'

export async function listPlatformLocations(
  ctx: Pick<Context, 'store' | 'vendors'>,
  namespace: Namespace,
): Promise<Outcome<readonly PlatformLocation[]>> {
  const { vendors } = ctx
  // The namespace is the resource of this path: an unknown one is not found, and not a mistake in a field.
  if (!vendors.lookup(namespace).ok) return refuse('not_found', `Namespace "${namespace}" is not registered`)
  const platform = vendors.machine(namespace)
  if (!platform.ok) return platform
  const listed: Result<readonly MachineLocation[]> =
    vendors.supports(namespace, 'locations') && platform.value.locations
      ? await platform.value.locations()
      : failUnsupported('locations')
  if (!listed.ok) return toRefusal(listed)
  const registered = new Set(
    (await listLocations(ctx.store.db)).filter((own) => own.namespace === namespace).map(({ id }) => id as string),
  )
  return accept(
    listed.value
      // Nothing could be done here with a machine whose id is not a location id.
      .filter(({ id }) => parseLocationId(id) !== undefined)
      .map(({ id, name, timeZone, address, entry }) => ({
        id,
        name,
        ...(timeZone !== undefined && { timezone: timeZone }),
        ...(address !== undefined && { address }),
        registered: registered.has(id),
        ...(entry !== undefined && { entry }),
      })),
  )
}
