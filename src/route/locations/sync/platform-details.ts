/** What a platform states about its machines beside stock and sales: their health and their time zone. */
import { mapConcurrent } from '../../../lib/concurrency.ts'
import type { Context } from '../../../context.ts'
import { setTimeZone } from '../../sales/index.ts'
import { listPlatformMachines } from '../platform-machines.ts'
import { type LocationRecord, findLocation } from '../records.ts'
import { type PlatformDetails, updatePlatformDetails } from './records.ts'

/** Machines whose health is read concurrently. */
const MACHINES_AT_ONCE = 4

type Deps = Pick<Context, 'vendors' | 'log'>

/** Machines of platforms that state neither are left out. */
export async function readPlatformDetails(ctx: Deps, roster: readonly LocationRecord[]): Promise<PlatformDetails[]> {
  const byPlatform = Map.groupBy(roster, ({ namespace }) => namespace)
  const read = await Promise.all(
    [...byPlatform].map(async ([namespace, own]) => {
      const listed = await listPlatformMachines(ctx, namespace)
      return mapConcurrent(MACHINES_AT_ONCE, own, async (machine) => ({
        id: machine.id,
        timeZone: changedZone(machine, listed.get(machine.id)?.timeZone),
        health: await readHealth(ctx, machine),
      }))
    }),
  )
  return read.flat().filter(({ timeZone, health }) => timeZone !== undefined || health !== undefined)
}

const changedZone = ({ platformTimeZone }: LocationRecord, stated: string | undefined): string | undefined =>
  stated === platformTimeZone ? undefined : stated

/** A platform that does not answer says nothing about its machines: what it said last stays. */
async function readHealth(
  { vendors, log }: Deps,
  { id, namespace }: LocationRecord,
): Promise<PlatformDetails['health']> {
  const platform = vendors.machine(namespace)
  if (!platform.ok || !platform.value.health || !vendors.supports(namespace, 'health')) return undefined
  const health = await platform.value.health(id)
  if (health.ok) return health.value
  log.warn(
    { namespace, machine: id, reason: health.reason, text: health.message },
    'The health of a machine could not be read',
  )
  return undefined
}

/** One transaction per machine: each takes the locks of a registration, in the same order. */
export async function savePlatformDetails(
  { store, clock, config }: Pick<Context, 'store' | 'clock' | 'config'>,
  details: readonly PlatformDetails[],
): Promise<void> {
  for (const each of details)
    await store.transaction(async (tx) => {
      await updatePlatformDetails(tx, each, clock.now())
      const machine = each.timeZone === undefined ? undefined : await findLocation(tx, each.id)
      // What the operator states counts before what the platform states.
      if (machine && machine.profile.time_zone === undefined)
        await setTimeZone(tx, machine, machine.platformTimeZone ?? null, config.timeZone)
    })
}
