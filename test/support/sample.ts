/**
 * What `npm test` leaves to other commits: tests that run the same code in many combinations run a part of these, which the
 * hash of the commit decides. Of two parts one comes with every second commit on average. `npm run test:all` runs all of them,
 * and so does a command with a project and files.
 */
import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { matchesGlob } from 'node:path'

/** What is sampled, and of how many parts one runs. */
export const PARTS = {
  'files on PostgreSQL with transactions of their own': 3,
  'other files on PostgreSQL': 10,
  'databases of processes and suppliers': 2,
  'fault schedules': 40,
  'commits at which a shift is killed': 4,
  'random routes': 4,
  'looks of a page': 2,
  'roles on all pages': 4,
  'colour schemes of a dialog': 2,
} as const

type Sampled = keyof typeof PARTS

/** Set by `vitest.config.ts` for `npm test`. Without it everything runs. */
const turnOfTests = process.env['SAMPLE_TURN']

/** The part of these that runs. `shift`: where several share the parts of one list, so that each gets another one. */
export function sample<T>(of: Sampled, all: readonly T[], shift = 0, turn = turnOfTests): readonly T[] {
  if (turn === undefined) return all
  const parts = PARTS[of]
  return all.filter((_, index) => (index + shift) % parts === Number(turn) % parts)
}

/** Concurrent transactions, locks, leases, several instances, crashes, and SQL that differs between the databases. */
const ABOUT_THE_DATABASE = [
  'test/{events,faults,jobs,processes,store}/*.test.ts',
  'test/*/{instances,concurrent,limits,stop-race,restored-stop,urgent-stop,guarded-operations,database,database-id}.test.ts',
]

/** Long files about much else, and in them requests that meet. */
const WITH_TRANSACTIONS = [
  'test/approvals/{approvals,pending-limit}.test.ts',
  'test/checkout/{complete,update,late-orders}.test.ts',
  'test/http/requests.test.ts',
  'test/people/{chain,people}.test.ts',
  'test/pricing/approved.test.ts',
  'test/replenishment/{placement-faults,several-runs,swaps}.test.ts',
]

/** Real processes and whole suppliers: what they prove is the same on both databases, so each runs on one of them. */
const ON_EITHER = [
  'test/faults/{other-suppliers,sheet,ucp-supplier}.test.ts',
  'test/processes/{first-owner,outbox,sheet,stops}.test.ts',
  'test/ucp/*.test.ts',
]

interface Sample {
  readonly turn: string
  readonly postgres: readonly string[]
  /** Of the files that otherwise run on SQLite. */
  readonly notOnSqlite: readonly string[]
  /** What was selected and why, in a line. */
  readonly text: string
}

/** `exclude`: files that run on no database. */
export function sampleOfCommit(exclude: readonly string[], turn = turnOfCommit()): Sample {
  const isOneOf = (patterns: readonly string[]) => (file: string) =>
    patterns.some((pattern) => matchesGlob(file, pattern))
  const all = globSync('test/**/*.test.ts')
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !isOneOf(exclude)(file))
    .toSorted()
  const either = all.filter(isOneOf(ON_EITHER))
  const eitherOnPostgres = sample('databases of processes and suppliers', either, 1, turn)
  const always = all.filter((file) => isOneOf(ABOUT_THE_DATABASE)(file) && !either.includes(file))
  const meeting = all.filter(isOneOf(WITH_TRANSACTIONS))
  const others = all.filter((file) => ![...always, ...either, ...meeting].includes(file))
  const chosen = [
    ...sample('files on PostgreSQL with transactions of their own', meeting, 0, turn),
    ...sample('other files on PostgreSQL', others, 0, turn),
  ]
  const short = (files: readonly string[]) =>
    files.map((file) => file.replace(/^test\/(.*)\.test\.ts$/, '$1')).join(' ')
  const parts = Object.entries(PARTS).map(([of, count]) => `${of} ${(Number(turn) % count) + 1}/${count}`)
  return {
    turn,
    postgres: [...always, ...eitherOnPostgres, ...chosen],
    notOnSqlite: eitherOnPostgres,
    text:
      `Turn ${turn}, by the commit: ${parts.join(', ')}. On PostgreSQL: ${always.length} files about the database, and ` +
      `${short([...eitherOnPostgres, ...chosen])}. All: npm run test:all`,
  }
}

/** A number that the commit decides; outside of a repository always the same one. */
export function turnOfCommit(): string {
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return String(Number.parseInt(commit.slice(0, 8), 16))
  } catch {
    return '0'
  }
}
