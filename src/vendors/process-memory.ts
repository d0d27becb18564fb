/** The memory of an adapter that is opened for a single read (`doctor`, `connect`): forgotten when the process ends. */
import type { Remembered, VendorMemory } from './memory.ts'

export function processMemory(): VendorMemory {
  const entries = new Map<string, Remembered>()
  return {
    get: async (key) => entries.get(key),
    list: async (prefix) =>
      [...entries]
        .filter(([key]) => key.startsWith(prefix))
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, entry]) => ({ key, ...entry })),
    async put(key, value, version) {
      if ((entries.get(key)?.version ?? 0) !== version) return undefined
      // As a database would keep it: later changes of the object do not reach it.
      entries.set(key, { value: JSON.parse(JSON.stringify(value)), version: version + 1 })
      return version + 1
    },
  }
}
