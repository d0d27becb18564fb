/** PUT /locations/{id}: registers a machine, or changes its name and profile. */
import { isDeepStrictEqual } from 'node:util'
import type { Location, LocationRequest } from '../../contract/location.ts'
import { parseLocationId } from '../../kernel/ids.ts'
import type { Namespace } from '../../kernel/ids.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import { INVALID_MACHINE_ID } from '../../kernel/text.ts'
import { recordEvent } from '../events/index.ts'
import type { Context } from '../context.ts'
import { cleanProfile, missingFields } from './profile.ts'
import { findLocation, insertLocation, updateLocation } from './records.ts'
import { machineSaved } from './texts.ts'
import { locationViews } from './view.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'vendors' | 'config'>

export async function putLocation(ctx: Deps, idText: string, request: LocationRequest): Promise<Outcome<Location>> {
  const id = parseLocationId(idText)
  const name = request.name.trim()
  if (!id) return refuse('invalid', INVALID_MACHINE_ID, '$.id')
  if (name === '') return refuse('invalid', 'name must not be blank', '$.name')
  const namespace = machineNamespace(ctx)
  if (!namespace) return refuse('namespace_unsupported', 'No machine platform is registered')

  const record = await ctx.store.transaction(async (tx) => {
    const now = ctx.clock.now()
    const stated = { name, profile: request.profile && cleanProfile(request.profile) }
    const isNew = await insertLocation(tx, id, namespace, stated, now)
    const before = isNew ? undefined : await findLocation(tx, id)
    if (before) await updateLocation(tx, id, stated, now)
    const after = await findLocation(tx, id)
    if (!after) throw new Error(`location ${id} is not there in the transaction that wrote it`)

    const hasChanged = !before || before.name !== after.name || !isDeepStrictEqual(before.profile, after.profile)
    if (hasChanged) await recordEvent(ctx, tx, machineSaved(after, missingFields(after.profile), isNew))
    return after
  })
  const [location] = await locationViews(ctx, [record])
  if (!location) throw new Error(`location ${id} has no view`)
  return accept(location)
}

/** The live platform, else a planned one: machines may be registered before the credentials are there. */
const machineNamespace = ({ vendors }: Deps): Namespace | undefined =>
  vendors.defaults.machine ?? vendors.registrations.find(({ role }) => role === 'machine')?.namespace
