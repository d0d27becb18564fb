/** What a platform states about its machines beside stock and sales: their health, their time zone and their cash. */
import { mapConcurrent } from '../../../lib/concurrency.ts'
import type { Context } from '../../../context.ts'
import type { Result } from '../../../vendors/contract.ts'
import { setTimeZone } from '../../sales/index.ts'
import { saveCash } from '../cash/records.ts'
import { listPlatformMachines } from '../platform-machines.ts'
import { type LocationRecord, findLocation } from '../records.ts'
import { type PlatformDetails, updatePlatformDetails } from './records.ts'

/** Machines that are asked concurrently. */
const MACHINES_AT_ONCE = 4

type Deps = Pick<Context, 'vendors' | 'log'>

/** Machines of platforms that state nothing are left out. */
export async function readPlatformDetails(ctx: Deps, roster: readonly LocationRecord[]): Promise<PlatformDetails[]> {
  const byPlatform = Map.groupBy(roster, ({ namespace }) => namespace)
  const read = await Promise.all(
    [...byPlatform].map(async ([namespace, own]) => {
      const listed = await listPlatformMachines(ctx, namespace)
      return mapConcurrent(MACHINES_AT_ONCE, own, async (machine) => ({
        id: machine.id,
        timeZone: changedZone(machine, listed.get(machine.id)?.timeZone),
        health: await readDetail(ctx, machine, 'health'),
        cash: await readDetail(ctx, machine, 'cash'),
      }))
    }),
  )
  return read.flat().filter(({ timeZone, health, cash }) => (timeZone ?? health ?? cash) !== undefined)
}

const changedZone = ({ platformTimeZone }: LocationRecord, stated: string | undefined): string | undefined =>
  stated === platformTimeZone ? undefined : stated

const FAILED = {
  health: 'The health of a machine could not be read',
  cash: 'The cash counters of a machine could not be read',
} as const

/** A platform that does not answer says nothing about its machines: what it said last stays. */
async function readDetail<Name extends keyof typeof FAILED>(
  { vendors, log }: Deps,
  { id, namespace }: LocationRecord,
  name: Name,
): Promise<PlatformDetails[Name]> {
  const platform = vendors.machine(namespace)
  if (!platform.ok || !vendors.supports(namespace, name)) return undefined
  const read = await (platform.value[name] as ((id: string) => Promise<Result<PlatformDetails[Name]>>) | undefined)?.(
    id,
  )
  if (!read || read.ok) return read?.value
  log.warn({ namespace, machine: id, reason: read.reason, text: read.message }, FAILED[name])
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
      if (each.cash) await saveCash(tx, each.id, each.cash)
      const machine = each.timeZone === undefined ? undefined : await findLocation(tx, each.id)
      // What the operator states counts before what the platform states.
      if (machine && machine.profile.time_zone === undefined)
        await setTimeZone(tx, machine, machine.platformTimeZone ?? null, config.timeZone)
    })
}
