/** Faults that people report at machines, and photos: where they are kept, who fixed them, and for how long they stay. */
import { randomUUID } from 'node:crypto'
import type { Context } from '../../../context.ts'
import { PHOTO_BYTES_MAX } from '../../../contract/limits.ts'
import type { MachineReport, ReportRequest } from '../../../contract/shapes/service.ts'
import { currentCaller } from '../../../kernel/caller.ts'
import { DAY, rfc3339 } from '../../../kernel/clock.ts'
import { type Outcome, accept, refuse } from '../../../kernel/outcome.ts'
import { TOKEN_HOLDER } from '../../../kernel/person.ts'
import { recordEvent } from '../../../record/events/index.ts'
import { findCreated, recordCreated } from '../../../store/created.ts'
import { type Picture, pictureType } from '../pictures.ts'
import { findLocation, lockLocation } from '../records.ts'
import { findService } from '../service/records.ts'
import { parseOccurredAt } from '../service/service.ts'
import { faultFixed, machineNotFound, reportAdded } from '../texts.ts'
import {
  type Report,
  deleteReportsBefore,
  dropPhotos,
  findPhoto,
  findReport,
  insertReport,
  listReports,
  markFixed,
} from './records.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'config'>

const LISTED_MAX = 50
const PHOTO_DAYS = 90
/** So that photos never fill a disk, whoever sends them: about 400 MB. */
const PHOTOS_MAX = 1000

const photoPath = (id: string): string => `/photos/${id}`

function reportView({ config }: Pick<Deps, 'config'>, report: Report): MachineReport {
  const { id, location, service, fault, at, by, fixedAt, fixedBy, hasPhoto } = report
  return {
    id,
    location,
    ...(service === undefined ? {} : { service_id: service }),
    ...(fault === undefined ? {} : { fault }),
    ...(hasPhoto ? { photo: photoPath(id) } : {}),
    occurred_at: rfc3339(at, config.timeZone),
    ...(by === undefined ? {} : { by }),
    ...(fixedAt === undefined ? {} : { fixed_at: rfc3339(fixedAt, config.timeZone) }),
    ...(fixedBy === undefined ? {} : { fixed_by: fixedBy }),
  }
}

/** What is wrong with a photo; undefined: nothing. */
function photoProblem(photo: string): string | undefined {
  const bytes = Buffer.from(photo, 'base64')
  if (bytes.length > PHOTO_BYTES_MAX) return `A photo has at most ${PHOTO_BYTES_MAX / 1024} KB`
  return pictureType(bytes) === undefined ? 'Not a JPEG, PNG, GIF or WebP picture' : undefined
}

export async function reportMachine(
  ctx: Deps,
  location: string,
  { fault, photo, service_id: service, occurred_at: stated }: ReportRequest,
): Promise<Outcome<MachineReport>> {
  if (fault === undefined && photo === undefined) return refuse('missing', 'fault or photo is required', '$.fault')
  const problem = photo === undefined ? undefined : photoProblem(photo)
  if (problem !== undefined) return refuse('invalid', problem, '$.photo')
  const now = ctx.clock.now()
  const at = stated === undefined ? now : parseOccurredAt(stated, now)
  if (at === undefined) return refuse('invalid', 'occurred_at must be within the last 48 hours', '$.occurred_at')
  return ctx.store.transaction(async (tx) => {
    await lockLocation(tx, location, now)
    const machine = await findLocation(tx, location)
    if (!machine) return refuse('not_found', machineNotFound(location))
    const earlier = await findCreated(tx)
    const known = earlier === undefined ? undefined : await findReport(tx, earlier)
    if (known) return accept(reportView(ctx, known))
    if (service !== undefined && !(await findService(tx, location, service)))
      return refuse('invalid', `No such visit of machine ${location}`, '$.service_id')
    const id = `rep-${randomUUID()}`
    await insertReport(tx, {
      id,
      location,
      service,
      fault,
      at,
      bookedAt: now,
      ...(photo === undefined ? {} : { photo }),
    })
    await recordCreated(tx, id, now)
    if (photo !== undefined) await dropPhotos(tx, now - PHOTO_DAYS * DAY, PHOTOS_MAX)
    await recordEvent(
      ctx,
      tx,
      reportAdded(location, machine.name, { fault, photo: photo === undefined ? undefined : photoPath(id) }),
    )
    const stored = await findReport(tx, id)
    return stored ? accept(reportView(ctx, stored)) : refuse('internal', 'The report was not stored')
  })
}

export async function listMachineReports(ctx: Deps, location: string): Promise<Outcome<readonly MachineReport[]>> {
  if (!(await findLocation(ctx.store.db, location))) return refuse('not_found', machineNotFound(location))
  const reports = await listReports(ctx.store.db, location, LISTED_MAX)
  return accept(reports.map((report) => reportView(ctx, report)))
}

/** Saying it twice changes nothing. */
export const fixFault = (ctx: Deps, location: string, id: string): Promise<Outcome<MachineReport>> =>
  ctx.store.transaction(async (tx) => {
    const now = ctx.clock.now()
    await lockLocation(tx, location, now)
    const report = await findReport(tx, id)
    if (report?.location !== location) return refuse('not_found', `Report "${id}" not found at machine ${location}`)
    const { fault } = report
    if (fault === undefined) return refuse('not_editable', 'A photo without a fault cannot be fixed')
    if (!(await markFixed(tx, id, now, (currentCaller()?.by ?? TOKEN_HOLDER).name)))
      return accept(reportView(ctx, report))
    await recordEvent(ctx, tx, faultFixed(location, (await findLocation(tx, location))?.name, fault))
    return accept(reportView(ctx, (await findReport(tx, id)) ?? report))
  })

/** Its type by its first bytes, as for any picture. */
export async function loadPhoto({ store }: Pick<Deps, 'store'>, id: string): Promise<Picture | undefined> {
  const photo = await findPhoto(store.db, id)
  if (photo === undefined) return undefined
  const bytes = Buffer.from(photo, 'base64')
  const type = pictureType(bytes)
  return type === undefined ? undefined : { type, bytes }
}

/** Faults that are not fixed stay, without their photo. */
export async function removeOldReports({ store, clock, config }: Deps): Promise<void> {
  const now = clock.now()
  await dropPhotos(store.db, now - PHOTO_DAYS * DAY, PHOTOS_MAX)
  await deleteReportsBefore(store.db, now - config.retentionDays * DAY)
}
