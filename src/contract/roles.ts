/** Who may call an operation: the groups of roles that the column `roles` of the operations table names. */
import type { PersonRole } from '../kernel/person.ts'

/** `anyone` needs no credentials. */
export type Roles = readonly PersonRole[] | 'anyone'

export const ROLES = {
  anyone: 'anyone',
  /** Every key, whatever it may do otherwise. */
  everyKey: ['owner', 'operator', 'driver', 'viewer', 'bridge'],
  /** Reads of what a driver needs at the machines: machines and what is in them, runs, visits. A driver gets no amounts. */
  routeReaders: ['owner', 'operator', 'driver', 'viewer'],
  /** All other reads. */
  readers: ['owner', 'operator', 'viewer'],
  /** Counting, receiving, reporting. */
  routeWriters: ['owner', 'operator', 'driver'],
  /** Everything that spends, reprices or changes the route. */
  writers: ['owner', 'operator'],
  /** Decisions. A bridge passes on what a registered administrator pressed. */
  deciders: ['owner', 'bridge'],
  owners: ['owner'],
} as const satisfies Record<string, Roles>
