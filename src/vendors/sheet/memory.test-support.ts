/** The memory of a connection for tests: as a database keeps it, and with hooks before and after every write. */
import type { Remembered, VendorMemory } from '../memory.ts'

export interface TestMemory extends VendorMemory {
  readonly entries: Map<string, Remembered>
}

export interface MemoryHooks {
  readonly before?: (key: string, value: unknown) => Promise<void> | void
  readonly after?: (key: string, value: unknown) => Promise<void> | void
}

/** `entries` may be shared by several instances. */
export function testMemory(hooks: MemoryHooks = {}, entries = new Map<string, Remembered>()): TestMemory {
  return {
    entries,
    get: async (key) => structuredClone(entries.get(key)),
    list: async (prefix) =>
      [...entries]
        .filter(([key]) => key.startsWith(prefix))
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, entry]) => ({ key, ...structuredClone(entry) })),
    async put(key, value, version) {
      await hooks.before?.(key, value)
      if ((entries.get(key)?.version ?? 0) !== version) return undefined
      entries.set(key, { value: JSON.parse(JSON.stringify(value)) as unknown, version: version + 1 })
      await hooks.after?.(key, value)
      return version + 1
    },
  }
}
