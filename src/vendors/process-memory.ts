/**
 * The memory of an adapter that is opened for a single read (`doctor`, `connect`, `import`): what is written is forgotten
 * when the process ends. Entries of `base` are read and never changed. `written` may be shared by several.
 */
import type { Remembered, VendorMemory } from './memory.ts'

export function processMemory(base?: VendorMemory, written = new Map<string, Remembered>()): VendorMemory {
  const find = async (key: string) => written.get(key) ?? (await base?.get(key))
  return {
    get: find,
    async list(prefix) {
      const stored = (await base?.list(prefix)) ?? []
      const own = [...written].filter(([key]) => key.startsWith(prefix)).map(([key, entry]) => ({ key, ...entry }))
      return [...stored.filter(({ key }) => !written.has(key)), ...own].toSorted((a, b) => (a.key < b.key ? -1 : 1))
    },
    async put(key, value, version) {
      const before = (await find(key))?.version ?? 0
      // Nothing is awaited between this check and the write: of several writers one wins.
      if (before !== version || (written.get(key)?.version ?? before) !== version) return undefined
      // As a database would keep it: later changes of the object do not reach it.
      written.set(key, { value: JSON.parse(JSON.stringify(value) ?? 'null') as unknown, version: version + 1 })
      return version + 1
    },
  }
}
