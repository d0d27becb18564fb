/** Vitest loads the file of a seeded fault with the fault in it; the file on disk stays as it is. */
import { resolve } from 'node:path'
import type { Plugin } from 'vitest/config'
import { type SeededFault, FAULTS } from './faults.ts'

/** Throws when the code that it changes is not there, or there twice: then the list has to follow the code. */
export function applyFault({ name, file, edits }: SeededFault, text: string): string {
  return edits.reduce((edited, [before, after]) => {
    const parts = edited.split(before)
    if (parts.length !== 2)
      throw new Error(`seeded fault ${name}: ${file} has ${parts.length - 1} places like this:\n${before}`)
    return parts.join(after)
  }, text)
}

export const findFault = (name: string): SeededFault => {
  const fault = FAULTS.find((each) => each.name === name)
  if (!fault) throw new Error(`no seeded fault is called ${name}`)
  return fault
}

/** Without a name nothing is changed. */
export function seedFault(name: string | undefined): Plugin {
  const fault = name === undefined ? undefined : findFault(name)
  const path = fault && resolve(fault.file).replaceAll('\\', '/')
  return {
    name: 'seeded-fault',
    enforce: 'pre',
    // Vitest keeps what it has transformed, by the text of the file on disk.
    configureVitest: ({ defineCacheKeyGenerator }) =>
      defineCacheKeyGenerator(({ id }) => (fault && id === path ? JSON.stringify(fault.edits) : undefined)),
    transform: (text, id) => (fault && id === path ? applyFault(fault, text) : undefined),
  }
}
