/** Machines that files name and the settings do not, so that a person can take them in. Pure. */
import type { MachineIdentity } from './file-reading.ts'
import type { MachineKey } from './settings.ts'

export interface NewMachine {
  readonly id: string
  readonly name: string
  readonly field: MachineKey
  readonly value: string
}

const ID_MAX = 64

/** Numbers that makers write until somebody sets one. */
const isSet = (value: string): boolean => /[^0\s._-]/.test(value)

/**
 * By the number that the operator gave the machine, else by its serial numbers, else by the name of its file. A number that
 * stands in files of several serial numbers tells nothing.
 */
export function findNewMachines(
  strangers: readonly MachineIdentity[],
  taken: ReadonlySet<string>,
): readonly NewMachine[] {
  const serialsOf = new Map<string, Set<string>>()
  for (const { ID106, ID101 } of strangers)
    if (isSet(ID106) && isSet(ID101)) serialsOf.getOrInsertComputed(ID106, () => new Set()).add(ID101)
  const fieldOf = (one: MachineIdentity): MachineKey => {
    if (isSet(one.ID106) && (serialsOf.get(one.ID106)?.size ?? 0) <= 1) return 'ID106'
    return (['ID101', 'CB101', 'OperatorIdentifier'] as const).find((field) => isSet(one[field])) ?? 'file'
  }
  const found = new Map<string, Omit<NewMachine, 'id'>>()
  for (const one of strangers) {
    const field = fieldOf(one)
    const value = one[field]
    const name = field === 'file' ? value.replace(/\.[^.]*$/, '') : value
    found.getOrInsert(`${field} ${value}`, { field, value, name: [one.model, name].filter(isSet).join(' ') || name })
  }
  const ids = new Set(taken)
  return [...found.values()].map((machine) => {
    const base = idOf(machine.field === 'file' ? machine.value.replace(/\.[^.]*$/, '') : machine.value)
    let id = base
    for (let n = 2; ids.has(id); n++) id = `${base.slice(0, ID_MAX - 5)}-${n}`
    ids.add(id)
    return { id, ...machine }
  })
}

const idOf = (value: string): string =>
  value
    .trim()
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, ID_MAX)
    .replaceAll(/^-+|-+$/g, '') || 'machine'
