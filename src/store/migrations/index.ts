/** In the order they are applied. A released migration is never edited; the next one mends it. */
import type { Ddl } from '../migrate.ts'
import { foundation } from './0001_foundation.ts'
import { locations } from './0003_locations.ts'
import { approvals } from './0004_approvals.ts'

export const MIGRATIONS: Readonly<Record<string, (ddl: Ddl) => readonly string[]>> = {
  '0001_foundation': foundation,
  '0003_locations': locations,
  '0004_approvals': approvals,
}
