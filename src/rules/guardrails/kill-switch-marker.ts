/**
 * The marker file outside the database: while it exists, the kill switch is engaged. Restoring an older copy of the
 * database leaves it in place. Its contents say which stop it is, who engaged it and why, and the last order numbers that
 * were assigned before it: no restored database may assign them again.
 */
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { EngagedKillSwitch } from './records.ts'

const OWNER_ONLY = 0o600
const FOLDER_OWNER_ONLY = 0o700

export interface Marker extends Partial<EngagedKillSwitch> {
  readonly numbers?: readonly string[]
}

const markerOf = (sidecarPrefix: string): string => `${sidecarPrefix}.emergency-stop`

/** Undefined when there is none. A file that cannot be read engages the kill switch as well. */
export function readMarker(sidecarPrefix: string | undefined): Marker | undefined {
  if (sidecarPrefix === undefined) return undefined
  try {
    // Nearly always there is none, and an exception costs ten times as much as this question.
    if (statSync(markerOf(sidecarPrefix), { throwIfNoEntry: false }) === undefined) return undefined
    return parseMarker(readFileSync(markerOf(sidecarPrefix), 'utf8'))
  } catch (failure) {
    return (failure as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : {}
  }
}

function parseMarker(text: string): Marker {
  const { id, since, by, reason, numbers } = JSON.parse(text) as Record<string, unknown>
  return {
    ...(typeof id === 'string' && id !== '' ? { id } : {}),
    ...(typeof since === 'number' && Number.isSafeInteger(since) ? { since } : {}),
    ...(typeof by === 'string' ? { by } : {}),
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(Array.isArray(numbers) ? { numbers: numbers.filter((number) => typeof number === 'string') } : {}),
  }
}

/** Replaces the file atomically and flushes it; a failure is reported, not thrown. */
export function writeMarker(
  sidecarPrefix: string | undefined,
  marker: EngagedKillSwitch & Marker,
  report: (failure: unknown) => void,
): void {
  if (sidecarPrefix === undefined) return
  const file = markerOf(sidecarPrefix)
  // Instances may share the folder, and in containers the process id as well.
  const draft = `${file}.${randomUUID()}`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: FOLDER_OWNER_ONLY })
    const handle = openSync(draft, 'wx', OWNER_ONLY)
    try {
      writeSync(handle, JSON.stringify(marker))
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(draft, file)
  } catch (failure) {
    rmSync(draft, { force: true })
    report(failure)
  }
}

/** Throws when it cannot be removed. */
export function removeMarker(sidecarPrefix: string | undefined): void {
  if (sidecarPrefix !== undefined) rmSync(markerOf(sidecarPrefix), { force: true })
}
