// Whether something built is at least as new as everything it is built from.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const newest = (path) => {
  if (!existsSync(path)) return 0
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))))
}

export const isFresh = (built, sources) =>
  existsSync(built) && statSync(built).mtimeMs >= Math.max(...sources.map(newest))
