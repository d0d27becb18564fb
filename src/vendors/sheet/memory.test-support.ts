/** The memory of a connection for tests: as a database keeps it, and with hooks before and after every write. */
import type { Remembered, VendorMemory } from '../memory.ts'
import { processMemory } from '../process-memory.ts'

export interface TestMemory extends VendorMemory {
  readonly entries: Map<string, Remembered>
}

export interface MemoryHooks {
  readonly before?: (key: string, value: unknown) => Promise<void> | void
  readonly after?: (key: string, value: unknown) => Promise<void> | void
}

/** `entries` may be shared by several instances. */
export function testMemory(hooks: MemoryHooks = {}, entries = new Map<string, Remembered>()): TestMemory {
  const memory = processMemory(undefined, entries)
  return {
    entries,
    get: async (key) => structuredClone(await memory.get(key)),
    list: async (prefix) => structuredClone(await memory.list(prefix)),
    async put(key, value, version) {
      await hooks.before?.(key, value)
      const next = await memory.put(key, value, version)
      if (next !== undefined) await hooks.after?.(key, value)
      return next
    },
  }
}
