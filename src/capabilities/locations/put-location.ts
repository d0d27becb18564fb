/** PUT /locations/{id}: puts a machine on the roster, or changes what is told about it. */
import { isDeepStrictEqual } from 'node:util'
import type { Location, LocationRequest } from '../../contract/location.ts'
import { parseLocationId } from '../../kernel/ids.ts'
import type { Namespace } from '../../kernel/ids.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import type { Tx } from '../../store/store.ts'
import { recordEvent } from '../events/index.ts'
import type { Context } from '../context.ts'
import { missingOf, profileOf } from './profile.ts'
import { findLocation } from './records.ts'
import { viewLocations } from './view.ts'

type Needs = Pick<Context, 'store' | 'clock' | 'vendors' | 'config'>

export async function putLocation(ctx: Needs, given: string, request: LocationRequest): Promise<Outcome<Location>> {
  const id = parseLocationId(given)
  const name = request.name.trim()
  if (!id) return refuse('invalid', 'no machine can have this id', '$.id')
  if (name === '') return refuse('invalid', 'name is blank', '$.name')
  const namespace = platformOf(ctx)
  if (!namespace) return refuse('namespace_unsupported', 'this deployment has no machine platform')

  const record = await ctx.store.transaction(async (tx) => {
    const now = ctx.clock.now()
    const told = { name, ...(request.profile ? { profile: JSON.stringify(profileOf(request.profile)) } : {}) }
    const added = await tx
      .insertInto('location')
      .values({
        id,
        namespace,
        profile: '{}',
        ...told,
        venue_name: null,
        registered_at: now,
        updated_at: now,
        last_synced_at: null,
        online: null,
        sync_problem: null,
        awaits_first_sync: 1,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirst()
    const isNew = added.numInsertedOrUpdatedRows === 1n
    const before = isNew ? undefined : await findLocation(tx, id)
    if (before)
      await tx
        .updateTable('location')
        .set({ ...told, updated_at: now })
        .where('id', '=', id)
        .execute()
    const after = await findLocation(tx, id)
    if (!after) throw new Error(`location ${id} vanished inside its own transaction`)

    const changed = !before || before.name !== after.name || !isDeepStrictEqual(before.profile, after.profile)
    if (changed) await tell(ctx, tx, after.id, after.name, missingOf(after.profile), isNew)
    return after
  })
  const [location] = await viewLocations(ctx, [record])
  if (!location) throw new Error(`location ${id} has no view`)
  return accept(location)
}

/** The platform that is live, else one that is to come: the roster may be written before the credentials are there. */
const platformOf = ({ vendors }: Needs): Namespace | undefined =>
  vendors.defaults.machine ?? vendors.registrations.find(({ role }) => role === 'machine')?.namespace

async function tell(
  ctx: Needs,
  tx: Tx,
  location: string,
  name: string,
  missing: readonly string[],
  isNew: boolean,
): Promise<void> {
  await recordEvent(ctx, tx, {
    kind: 'location',
    location,
    summary: isNew ? `Machine ${location} (${name}) registered` : `Machine ${location} (${name}) updated`,
    reasoning: missing.length === 0 ? 'Its profile is complete.' : `Its profile still lacks ${missing.join(', ')}.`,
  })
}
