/** What a person ticked off in a pick list. It stays in this browser: ids only, of the last runs. */
import { useState } from 'preact/hooks'
import { readSetting, saveSetting } from '../../lib/storage.ts'

const NAME = 'packed'
const RUNS_KEPT = 5

function readPacked(): ReadonlyMap<string, readonly string[]> {
  try {
    return new Map(JSON.parse(readSetting(NAME) ?? '[]') as readonly [string, readonly string[]][])
  } catch {
    return new Map()
  }
}

export interface Packed {
  readonly has: (key: string) => boolean
  readonly toggle: (key: string) => void
}

export function usePacked(run: string): Packed {
  const [keys, setKeys] = useState<ReadonlySet<string>>(() => new Set(readPacked().get(run)))
  return {
    has: (key) => keys.has(key),
    toggle(key) {
      const next = keys.has(key) ? [...keys].filter((each) => each !== key) : [...keys, key]
      setKeys(new Set(next))
      const others = [...readPacked()].filter(([other]) => other !== run)
      saveSetting(NAME, JSON.stringify([...others, [run, next]].slice(-RUNS_KEPT)))
    },
  }
}
