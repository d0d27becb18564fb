/** PUT /locations/{id}: registers a machine, or changes its name and profile. Its platform is fixed at registration. */
import { isDeepStrictEqual } from 'node:util'
import type { Location, LocationRequest } from '../../contract/shapes/location.ts'
import { isTimeZone, localDay } from '../../kernel/clock.ts'
import { isPlace } from '../../kernel/driving.ts'
import { type LocationId, type Namespace, parseLocationId } from '../../kernel/ids.ts'
import { type Outcome, accept, refuse } from '../../kernel/outcome.ts'
import { INVALID_MACHINE_ID } from '../../kernel/text.ts'
import { copyFields } from '../../lib/objects.ts'
import { recordEvent } from '../../record/events/index.ts'
import type { Tx } from '../../store/store.ts'
import type { Context } from '../../context.ts'
import { loadLedgerMachines, loadTerms, setTerms, setTimeZone } from '../sales/index.ts'
import { cleanProfile, missingFields } from './profile.ts'
import { listPlatformMachines } from './platform-machines.ts'
import { type LocationRecord, findLocation, insertLocation, updateLocation } from './records.ts'
import { machineOfOtherPlatform, machineSaved } from './texts.ts'
import { loadLocationViews } from './view.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'vendors' | 'config' | 'log'>

export async function putLocation(ctx: Deps, idText: string, request: LocationRequest): Promise<Outcome<Location>> {
  const id = parseLocationId(idText)
  const name = request.name.trim()
  if (!id) return refuse('invalid', INVALID_MACHINE_ID, '$.id')
  if (name === '') return refuse('invalid', 'name must not be blank', '$.name')
  const profile = request.profile && cleanProfile(request.profile)
  if (profile?.time_zone !== undefined && !isTimeZone(profile.time_zone))
    return refuse('invalid', 'time_zone must be an IANA name, such as Asia/Shanghai', '$.profile.time_zone')
  if (request.geo && !isPlace(request.geo))
    return refuse('invalid', 'geo must be the coordinates of the machine', '$.geo')
  const geo = request.geo && copyFields(request.geo, { latitude: true, longitude: true })
  const { commission_percent: percent } = request
  if (typeof percent === 'number' && !hasTwoDecimals(percent))
    return refuse('invalid', 'commission_percent must have at most two decimals', '$.commission_percent')
  const wrong = request.hours?.findIndex(({ opens, closes }) => opens === closes) ?? -1
  if (wrong >= 0) return refuse('invalid', 'closes must differ from opens', `$.hours[${wrong}].closes`)
  const hours = request.hours === undefined ? undefined : hoursOf(request.hours)
  const area = request.area === undefined ? undefined : request.area?.trim() || null
  const platform = await choosePlatform(ctx, id, request.namespace as Namespace | undefined)
  if (!platform.ok) return platform

  const saved = await ctx.store.transaction(async (tx): Promise<Outcome<LocationRecord>> => {
    const now = ctx.clock.now()
    const isNew = await insertLocation(tx, { id, name, profile, geo, area, hours, ...platform.value }, now)
    const before = isNew ? undefined : await findLocation(tx, id)
    if (before && request.namespace !== undefined && request.namespace !== before.namespace)
      return refuse('not_editable', machineOfOtherPlatform(before), '$.namespace')
    if (before) await updateLocation(tx, id, { name, profile, geo, area, hours }, now)
    const after = await findLocation(tx, id)
    if (!after) throw new Error(`location ${id} is not there in the transaction that wrote it`)
    await setTimeZone(tx, after, after.profile.time_zone ?? after.platformTimeZone ?? null, ctx.config.timeZone)

    const hasNewTerms = await changeTerms(ctx, tx, after, request)
    const hasChanged = !before || hasNewTerms || !isDeepStrictEqual(statedOf(before), statedOf(after))
    if (hasChanged) await recordEvent(ctx, tx, machineSaved(after, missingFields(after.profile), isNew))
    return accept(after)
  })
  if (!saved.ok) return saved
  const [location] = await loadLocationViews(ctx, [saved.value])
  if (!location) throw new Error(`location ${id} has no view`)
  return accept(location)
}

const hasTwoDecimals = (percent: number): boolean => Math.abs(percent * 100 - Math.round(percent * 100)) < 1e-6

/** From today on, in the zone of the machine. A member that is not stated stays as it is. */
async function changeTerms(
  { clock, config }: Deps,
  tx: Tx,
  machine: LocationRecord,
  { commission_percent: percent, rent_per_month: rent }: LocationRequest,
): Promise<boolean> {
  if (percent === undefined && rent === undefined) return false
  const before = (await loadTerms(tx, [machine.id]))(machine)
  const { timeZone = config.timeZone } = (await loadLedgerMachines(tx, [machine.id]))(machine)
  const terms = {
    commissionPercent: percent === undefined ? before.commissionPercent : percent,
    rentFen: rent === undefined ? before.rentFen : rent,
  }
  await setTerms(tx, machine, terms, localDay(clock.now(), timeZone))
  return before.commissionPercent !== terms.commissionPercent || before.rentFen !== terms.rentFen
}

/** Without other members, in the order stated; none is unknown. */
const hoursOf = (hours: NonNullable<LocationRequest['hours']> | null) =>
  hours?.length ? hours.map(({ day, opens, closes }) => ({ day, opens, closes })) : null

const statedOf = ({ name, profile, geo, area, hours }: LocationRecord) => [name, profile, geo, area, hours]

interface Platform {
  readonly namespace: Namespace
  /** The zone that it states for a machine which is not registered yet. */
  readonly platformTimeZone: string | undefined
}

/** The platform that is named, else that of the registered machine, else the default one. */
async function choosePlatform(ctx: Deps, id: LocationId, named: Namespace | undefined): Promise<Outcome<Platform>> {
  const { vendors, store } = ctx
  if (named !== undefined) {
    const found = vendors.lookup(named, '$.namespace')
    if (!found.ok) return found
    if (found.value.role !== 'machine')
      return refuse('namespace_mismatch', `${named} is not a machine namespace`, '$.namespace')
  }
  const registered = await findLocation(store.db, id)
  const namespace = named ?? registered?.namespace ?? defaultPlatform(ctx)
  if (!namespace) return refuse('namespace_unsupported', 'No machine platform is registered')
  if (registered) return accept({ namespace, platformTimeZone: registered.platformTimeZone })
  return accept({ namespace, platformTimeZone: (await listPlatformMachines(ctx, namespace)).get(id)?.timeZone })
}

/** The live platform, else a planned one: machines may be registered before the credentials are there. */
const defaultPlatform = ({ vendors }: Deps): Namespace | undefined =>
  vendors.defaults.machine ?? vendors.registrations.find(({ role }) => role === 'machine')?.namespace
