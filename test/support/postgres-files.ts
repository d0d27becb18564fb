/**
 * Which tests run on PostgreSQL. All that are asked for by default; `npm test` runs those that are about the database, and of the
 * others one part of five, which the commit decides: each part runs on every fifth commit.
 */
import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { matchesGlob } from 'node:path'

/** Concurrent transactions, locks, leases, several instances, crashes, and SQL that differs between the databases. */
const ABOUT_THE_DATABASE = [
  'test/{events,faults,jobs,processes,store}/*.test.ts',
  'test/*/{instances,concurrent,limits,stop-race,restored-stop,urgent-stop,guarded-operations,database,database-id}.test.ts',
  'test/approvals/{approvals,pending-limit}.test.ts',
  'test/checkout/{complete,update,late-orders}.test.ts',
  'test/http/requests.test.ts',
  'test/people/{chain,people}.test.ts',
  'test/pricing/approved.test.ts',
  'test/replenishment/{placement-faults,several-runs,swaps}.test.ts',
]

const PARTS = 5

export interface Selection {
  readonly files: readonly string[]
  /** What was selected and why, in a line. */
  readonly text: string
}

export function postgresFiles(exclude: readonly string[]): Selection {
  const isOneOf = (patterns: readonly string[]) => (file: string) =>
    patterns.some((pattern) => matchesGlob(file, pattern))
  const all = globSync('test/**/*.test.ts')
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !isOneOf(exclude)(file))
    .toSorted()
  const always = all.filter(isOneOf(ABOUT_THE_DATABASE))
  const others = all.filter((file) => !always.includes(file))
  const commit = readCommit()
  const part = Number.parseInt(commit.slice(0, 8), 16) % PARTS
  const chosen = others.filter((_, index) => index % PARTS === part)
  return {
    files: [...always, ...chosen],
    text:
      `PostgreSQL: ${always.length} files about the database and, by commit ${commit.slice(0, 8)}, part ${part + 1} of ${PARTS} ` +
      `of the others: ${chosen.map((file) => file.replace(/^test\/(.*)\.test\.ts$/, '$1')).join(' ')}. All: npm run test:all`,
  }
}

/** Outside of a repository always the same part. */
function readCommit(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return '00000000'
  }
}
