/**
 * The file beside a SQLite database that says that the emergency stop was pulled. Restoring an older copy of the
 * database leaves it in place. Its presence is what counts; what is in it tells who pulled the stop and why.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import type { EngagedKillSwitch } from './kill-switch.ts'

const OWNER_ONLY = 0o600

export const markerOf = (database: string): string => `${database}.emergency-stop`

/** Undefined when there is none. One that cannot be read counts all the same. */
export function readMarker(database: string | undefined): Partial<EngagedKillSwitch> | undefined {
  if (database === undefined) return undefined
  try {
    return parseMarker(readFileSync(markerOf(database), 'utf8'))
  } catch (failure) {
    return (failure as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : {}
  }
}

function parseMarker(text: string): Partial<EngagedKillSwitch> {
  const { since, by, reason } = JSON.parse(text) as Record<string, unknown>
  return {
    ...(typeof since === 'number' && Number.isSafeInteger(since) ? { since } : {}),
    ...(typeof by === 'string' ? { by } : {}),
    ...(typeof reason === 'string' ? { reason } : {}),
  }
}

/** Whole and on disk, or the old one stays; a failure is reported and not thrown. */
export function writeMarker(
  database: string | undefined,
  stop: EngagedKillSwitch,
  report: (failure: unknown) => void,
): void {
  if (database === undefined) return
  const marker = markerOf(database)
  const draft = `${marker}.${process.pid}`
  try {
    const handle = openSync(draft, 'w', OWNER_ONLY)
    try {
      writeSync(handle, JSON.stringify(stop))
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(draft, marker)
  } catch (failure) {
    report(failure)
  }
}

/** True when there was one. Throws when it cannot be removed. */
export function removeMarker(database: string | undefined): boolean {
  if (database === undefined || readMarker(database) === undefined) return false
  rmSync(markerOf(database))
  return true
}
