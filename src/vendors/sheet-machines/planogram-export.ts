/**
 * The newest planogram of a connection. It is read again when the file has changed. One that is still being written, or has
 * lost most of its slots, leaves the earlier one in use.
 */
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { digitsOf } from '../../kernel/currency.ts'
import { SingleFlight } from '../../lib/concurrency.ts'
import type { AdapterNeeds } from '../adapter-module.ts'
import { readExportAside } from '../aside/read-aside.ts'
import type { UnreadableRow, Result } from '../contract.ts'
import { fail, succeed } from '../result.ts'
import { currencySigns } from '../sheet/price-list/currency-signs.ts'
import { type FoundFile, findNewest } from '../sheet/price-list/list-file.ts'
import { isFields } from '../upstream/read-json.ts'
import { sanitizeText } from '../upstream/sanitize-text.ts'
import { type ExportFile, readExport } from './export-file.ts'
import type { Planogram, PlanogramSheet } from './planogram.ts'
import type { PlanogramSettings } from './settings.ts'

const MAX_LOSS_PERCENT = 50
/** Size and hash of the last planogram that was used, to compare with after a restart. */
const IN_USE = 'planogram'

/** `refused` of the result: why a newer file is not in use. */
export function planogramExport(settings: PlanogramSettings, needs: AdapterNeeds): () => Promise<Result<Planogram>> {
  const { connection, memory, notice } = needs
  const path = needs.resolvePath(settings.file)
  const reading = new SingleFlight<'planogram', Result<Planogram>>()
  let inUse: Planogram | undefined
  let examined: { readonly state: string; readonly result: Result<Planogram> } | undefined

  async function read(): Promise<Result<Planogram>> {
    let file: FoundFile | undefined
    let opened: ExportFile | undefined
    try {
      file = await findNewest(path)
      if (!file) return fail('unsent', 'There is no planogram', { raw: 'no such file' })
      if (examined?.state === stateOf(file)) return examined.result
      opened = await readExport(file, settings)
    } catch (error) {
      const raw = (error as NodeJS.ErrnoException).code ?? 'unreadable file'
      return fail('unsent', 'The planogram cannot be opened', { raw })
    }
    if (!opened)
      return inUse ? succeed(inUse) : fail('unsent', 'The planogram is still being written', { raw: 'file is growing' })
    const result = await readFile(file, opened)
    examined = { state: stateOf(file), result }
    return result
  }

  async function readFile(file: FoundFile, opened: ExportFile): Promise<Result<Planogram>> {
    const name = basename(file.path)
    const sheet = { ...planogramSheet(settings, connection), asOf: Math.floor(file.mtimeMs) }
    const planogram = await readExportAside({ file: opened, settings, sheet })
    if (!planogram.ok) {
      const problem = sanitizeText(planogram.message)
      notice?.(`Planogram ${name} cannot be read: ${problem}`)
      return fail('unknown', `The planogram cannot be read: ${problem}`, { raw: planogram.raw })
    }
    const loss = await refuseLoss(planogram.value, opened.bytes)
    if (loss !== undefined) {
      notice?.(`Planogram ${name} is refused: ${loss}`)
      const row: UnreadableRow = { kind: 'slot', id: 'planogram', problem: loss, detail: sanitizeText(name) }
      return inUse ? succeed(inUse, [row]) : fail('unknown', `The planogram is refused: ${loss}`, { raw: 'too short' })
    }
    const withoutMachine = (planogram.unreadable ?? []).map(
      ({ detail }) => `the machine of a slot cannot be read (${detail})`,
    )
    const cut = opened.isCut ? ['the last line has no line end and is left out, it may be incomplete'] : []
    for (const text of [...planogram.value.notices, ...withoutMachine, ...cut]) notice?.(`Planogram ${name}: ${text}`)
    inUse = planogram.value
    return succeed(inUse)
  }

  /** Why this file must not replace the one before; otherwise it is remembered as the one in use. */
  async function refuseLoss(planogram: Planogram, bytes: Uint8Array): Promise<string | undefined> {
    const slots = [...planogram.machines.values()].reduce((sum, machine) => sum + machine.slots.length, 0)
    const hash = createHash('sha256').update(bytes).digest('hex')
    const entry = await memory.get(IN_USE)
    const before = isFields(entry?.value) ? entry.value : {}
    if (before['hash'] === hash) return undefined
    const earlier = typeof before['slots'] === 'number' ? before['slots'] : 0
    if ((earlier - slots) * 100 > earlier * (settings.max_loss ?? MAX_LOSS_PERCENT))
      return `it has ${slots} slots, and the one before had ${earlier}`
    // Where another instance was faster its entry stays: both have accepted a file.
    await memory.put(IN_USE, { hash, slots }, entry?.version ?? 0)
    return undefined
  }

  return () => reading.run('planogram', read)
}

/** How the export is to be read. */
export const planogramSheet = (
  { columns, decimal }: PlanogramSettings,
  { currency }: Pick<AdapterNeeds['connection'], 'currency'>,
): Omit<PlanogramSheet, 'asOf'> => ({ columns, digits: digitsOf(currency), decimal, signs: currencySigns(currency) })

const stateOf = ({ path, size, mtimeMs }: FoundFile): string => JSON.stringify([path, size, mtimeMs])
