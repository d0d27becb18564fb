/** A machine's goods are read on one machine: its id must be named, and be one that a path can carry (2.2). */
import { parseLocationId } from '../../kernel/ids.ts'
import type { LocationId } from '../../kernel/ids.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'

export function requireLocation(text: string | undefined, path = '$.filters.location'): Outcome<LocationId> {
  if (text === undefined) return refuse('missing', 'a machine namespace needs the machine id', path)
  const id = parseLocationId(text)
  return id ? accept(id) : refuse('invalid', 'this is no machine id', path)
}
