/**
 * Some machines write the same checksum into every file, whatever it holds: it confirms nothing and refutes nothing. That
 * is noticed where two readings differ and their checksum does not. Pure.
 */
import type { UnconfirmedReading } from './file-reading.ts'

export const CONSTANT_CHECKSUM = 'The machine writes the same checksum into every file: it has none'

/**
 * Those that are used as if they had no checksum. `checksums`: what is known of each machine, as in its book; a machine
 * that once stated a right one is not among them.
 */
export function findConstantChecksums(
  unconfirmed: readonly UnconfirmedReading[],
  checksums: ReadonlyMap<string, string | undefined>,
): readonly UnconfirmedReading[] {
  const learned = new Set(checksums.values())
  const candidates = unconfirmed.filter(({ location }) => checksums.get(location) !== 'right')
  return [...Map.groupBy(candidates, ({ checksum }) => checksum)].flatMap(([checksum, same]) =>
    learned.has(checksum) || new Set(same.map(identityOf)).size > 1 ? same : [],
  )
}

/** A second copy of one reading that was damaged on its way has the checksum of the first. */
const identityOf = ({ location, stamp, reading }: UnconfirmedReading): string =>
  `${location} ${stamp ?? reading.total.count}`
