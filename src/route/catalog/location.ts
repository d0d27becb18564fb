/** The machine that a request about machine products must name. */
import { type LocationId, parseLocationId } from '../../kernel/ids.ts'
import { type Outcome, accept, refuse } from '../../kernel/outcome.ts'
import { INVALID_MACHINE_ID } from '../../kernel/text.ts'

export function requireLocation(text: string | undefined, path = '$.filters.location'): Outcome<LocationId> {
  if (text === undefined) return refuse('missing', 'A machine namespace needs a machine ID', path)
  const id = parseLocationId(text)
  return id ? accept(id) : refuse('invalid', INVALID_MACHINE_ID, path)
}
