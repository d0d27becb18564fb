/** Capacity, par level and position of slots: one at a time, or many from a file. */
import { readFileSync } from 'node:fs'
import type { SlotRequest } from '../../contract/shapes/location.ts'
import {
  type RowProblem,
  type SlotSettingsRow,
  type StatedSettings,
  parseSlotSettings,
  SLOT_HEADINGS,
} from '../../kernel/slot-settings.ts'
import { readDelimited } from '../../lib/delimited-rows.ts'
import { omitUndefined } from '../../lib/objects.ts'
import type { Command } from '../command.ts'
import type { Context } from '../context.ts'
import { CommandFailure, UsageError } from '../exit.ts'
import { count } from '../../kernel/text.ts'
import { listMachineProducts, parseWholeNumber } from '../lookups.ts'
import type { Column } from '../table.ts'

/** `none` removes what was stated. */
const NONE = 'none'

function parsePosition(text: string): NonNullable<SlotRequest['position']> {
  const [, row, column] = /^([^\s:]{1,8}):(\d{1,3})$/u.exec(text) ?? /^([A-Za-z]{1,3})(\d{1,3})$/.exec(text) ?? []
  if (row === undefined || column === undefined)
    throw new UsageError(`--position "${text}" should look like B3 or 2:14 (row:column)`)
  return { row, column: Number(column) }
}

const parseSetting = <T>(text: string | undefined, parse: (text: string) => T): T | null | undefined =>
  text === undefined ? undefined : text === NONE ? null : parse(text)

const describe = ({ capacity, par, position }: StatedSettings): string =>
  [
    capacity === undefined ? [] : [`capacity ${capacity ?? 'from the platform'}`],
    par === undefined ? [] : [`par ${par ?? 'none'}`],
    position === undefined ? [] : [`position ${position === null ? 'none' : `${position.row}:${position.column}`}`],
  ]
    .flat()
    .join(', ')

const set: Command = {
  name: 'slots set',
  summary: 'state capacity, fill level (par) and position of a slot',
  args: [{ name: 'machine' }, { name: 'slot' }],
  options: {
    capacity: {
      kind: 'text',
      value: 'UNITS',
      summary: 'units that fit, before what the platform says; none: removes it',
    },
    par: { kind: 'text', value: 'UNITS', summary: 'the level that visits fill to; none: what demand needs' },
    position: {
      kind: 'text',
      value: 'ROW:COLUMN',
      summary: 'where it is in the machine, e.g. B3 or 2:14; none: removes it',
    },
  },
  examples: [
    ['vendops slots set M1001 M1001-G-0001 --capacity 14 --par 10', 'visits fill the slot to 10, never above 14'],
    ['vendops slots set M1001 M1001-G-0001 --par none', 'visits bring what demand needs again'],
  ],
  async run(context, args) {
    const id = args.arg('machine')
    const slot_id = args.arg('slot')
    const stated: StatedSettings = omitUndefined({
      capacity: parseSetting(args.text('capacity'), (text) => parseWholeNumber(text, 'units')),
      par: parseSetting(args.text('par'), (text) => parseWholeNumber(text, 'units')),
      position: parseSetting(args.text('position'), parsePosition),
    })
    if (Object.keys(stated).length === 0) throw new UsageError('one of --capacity, --par and --position is needed')
    const response = await context.client.updateSlot({ params: { id, slot_id }, body: stated })
    await context.writeReply(response)
    await context.writeLines([`${slot_id}: ${describe(stated)}`])
    context.suggest(`plan ${id}`, 'shows what to bring and why')
  },
}

interface MachineSlots {
  readonly machine: string
  readonly title: string
}

/** By slot id, of the machines that the file names. A slot id begins with that of its machine. */
async function readSlots(context: Context, slotIds: readonly string[]): Promise<ReadonlyMap<string, MachineSlots>> {
  const slots = new Map<string, MachineSlots>()
  for await (const { id } of context.client.all.searchLocations({ body: { pagination: { limit: 100 } } })) {
    if (!slotIds.some((slotId) => slotId.startsWith(`${id}-`))) continue
    for (const product of await listMachineProducts(context, id)) {
      const slotId = product.variants[0]?.inventory?.slot_id
      if (slotId !== undefined) slots.set(slotId, { machine: id, title: product.title })
    }
  }
  return slots
}

const PROBLEMS: Readonly<Record<RowProblem['problem'], (value: string) => string>> = {
  no_slot: () => 'no slot is named',
  unknown_slot: (value) => `no machine has a slot ${value}`,
  twice: (value) => `${value} is named a second time`,
  capacity: (value) => `capacity "${value}" is not a whole number from 1`,
  par: (value) => `par "${value}" is not a whole number`,
  position: (value) => `row and column "${value}" are not a row label and a whole number`,
  nothing: () => 'no row states anything',
}

function readRows(path: string): ReturnType<typeof readDelimited> {
  let text: string
  try {
    text = readFileSync(path === '-' ? 0 : path, 'utf8')
  } catch (problem) {
    throw new CommandFailure(`cannot read ${path}: ${(problem as Error).message}`)
  }
  const table = readDelimited(text)
  if (!table.headings.includes('slot') && !table.headings.includes('slot_id'))
    throw new CommandFailure(`${path} has no column "slot"`, {
      hint: `the first line names the columns: ${SLOT_HEADINGS.join(',')}`,
    })
  return table
}

const columnsOf = (slots: ReadonlyMap<string, MachineSlots>): readonly Column<SlotSettingsRow>[] => [
  { title: 'LINE', cell: ({ line }) => line, as: 'number' },
  { title: 'SLOT', cell: ({ slotId }) => slotId },
  { title: 'PRODUCT', cell: ({ slotId }) => slots.get(slotId)?.title, flexible: true },
  { title: 'STATED', cell: ({ settings }) => describe(settings) },
]

const importFile: Command = {
  name: 'slots import',
  summary: 'state capacity, fill level (par) and position of many slots from a CSV file',
  args: [{ name: 'file' }],
  csv: true,
  options: { 'dry-run': { kind: 'flag', summary: 'check the file and show what would change, without changing it' } },
  details:
    'The first line names the columns: slot, and any of capacity, par, row and column; others are ignored. An empty cell leaves a value as it is, - removes it. When a row is wrong, nothing is changed.',
  examples: [
    ['vendops slots M1001 --csv > slots.csv', 'a file to begin with: edit its columns and import it'],
    ['vendops slots import slots.csv --dry-run', 'checks every row'],
    ['vendops slots import slots.csv', 'states them'],
  ],
  async run(context, args) {
    const { rows } = readRows(args.arg('file'))
    const slots = await readSlots(
      context,
      rows.map(({ cells }) => cells['slot'] ?? cells['slot_id'] ?? ''),
    )
    const { settings, problems } = parseSlotSettings(rows, (slotId) => slots.has(slotId))
    if (problems.length > 0) {
      await context.writeJson({ problems })
      for (const { line, problem, value } of problems)
        await context.writeLines([`line ${line}: ${PROBLEMS[problem](value)}`])
      throw new CommandFailure(`${count(problems.length, 'row')} cannot be used; nothing was changed`)
    }
    const isDryRun = args.flag('dry-run')
    if (!isDryRun)
      await context.withProgress('stating slots', async () => {
        for (const { slotId, settings: stated } of settings)
          await context.client.updateSlot({
            params: { id: slots.get(slotId)!.machine, slot_id: slotId },
            body: stated,
          })
      })
    await context.writeJson({ dry_run: isDryRun, slots: settings })
    await context.writeTable(settings, columnsOf(slots))
    await context.writeLines([
      isDryRun ? `${count(settings.length, 'slot')} would be changed` : `${count(settings.length, 'slot')} stated`,
    ])
    context.suggest(
      isDryRun ? `slots import ${args.arg('file')}` : 'plan',
      isDryRun ? 'states them' : 'shows what to bring and why',
    )
  },
}

export const SLOT_SETTINGS: readonly Command[] = [set, importFile]
