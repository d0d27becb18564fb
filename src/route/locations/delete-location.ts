/** DELETE /locations/{id}: removes a machine and its data. Events and sales stay: they belong to the account. */
import type { LocationRemoved } from '../../contract/shapes/location.ts'
import { localDay } from '../../kernel/clock.ts'
import { type Outcome, accept, refuse } from '../../kernel/outcome.ts'
import { withId } from '../../kernel/text.ts'
import { withdrawDecisionsOfMachine } from '../../rules/approvals/index.ts'
import { recordEvent } from '../../record/events/index.ts'
import type { Context, WriteContext } from '../../context.ts'
import { loadLedgerMachines, NO_TERMS, setTerms } from '../sales/index.ts'
import { deletePhaseOutsOf } from '../skus/index.ts'
import { deleteLocationRows, findLocation, lockLocation } from './records.ts'
import { deleteUnreadableSlots } from './unreadable-row-records.ts'
import { machineNotFound, machineRemoved } from './texts.ts'

export const deleteLocation = async (
  ctx: WriteContext & Pick<Context, 'config'>,
  id: string,
): Promise<Outcome<Omit<LocationRemoved, 'ucp'>>> =>
  ctx.store.transaction(async (tx) => {
    // Row lock: a sync that is about to write this machine waits, and then finds it gone.
    await lockLocation(tx, id, ctx.clock.now())
    const location = await findLocation(tx, id)
    if (!location) return refuse('not_found', machineNotFound(id))
    await withdrawDecisionsOfMachine(ctx, tx, id, `Machine ${withId(location.name, id)} was removed.`)
    const { slots, locks, readings } = await deleteLocationRows(tx, id)
    await deleteUnreadableSlots(tx, id)
    await deletePhaseOutsOf(tx, id)
    // What was paid until now stays in the figures of those days.
    const { timeZone = ctx.config.timeZone } = (await loadLedgerMachines(tx, [id]))(location)
    await setTerms(tx, location, NO_TERMS, localDay(ctx.clock.now(), timeZone))
    await recordEvent(ctx, tx, machineRemoved(location, slots, readings))
    // The contract counts slots and locks as context, stock readings as telemetry.
    return accept({ removed: id, purged: { profile: 1, context: slots + locks, telemetry: readings } })
  })
