/**
 * The marker file beside a SQLite database: while it exists, the kill switch is engaged. Restoring an older copy of the
 * database leaves it in place. Its contents say who engaged the kill switch and why.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import type { EngagedKillSwitch } from './records.ts'

const OWNER_ONLY = 0o600

const markerOf = (database: string): string => `${database}.emergency-stop`

/** Undefined when there is none. A file that cannot be read engages the kill switch as well. */
export function readMarker(database: string | undefined): Partial<EngagedKillSwitch> | undefined {
  if (database === undefined) return undefined
  try {
    // Nearly always there is none, and an exception costs ten times as much as this question.
    if (statSync(markerOf(database), { throwIfNoEntry: false }) === undefined) return undefined
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

/** Replaces the file atomically and flushes it; a failure is reported, not thrown. */
export function writeMarker(
  database: string | undefined,
  engaged: EngagedKillSwitch,
  report: (failure: unknown) => void,
): void {
  if (database === undefined) return
  const marker = markerOf(database)
  const draft = `${marker}.${process.pid}`
  try {
    const handle = openSync(draft, 'w', OWNER_ONLY)
    try {
      writeSync(handle, JSON.stringify(engaged))
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
