/** What `npm test` leaves to other commits comes with one of the next. */
import { globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PARTS, sample, sampleOfCommit } from '../support/sample.ts'

const NUMBERS = Array.from({ length: 100 }, (_, n) => n)
const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)

test.each(Object.entries(PARTS))('%s: each is in one of %i parts', (of, parts) => {
  const name = of as keyof typeof PARTS
  const turns = Array.from({ length: parts }, (_, turn) => sample(name, NUMBERS, 0, String(turn)))
  expect(sorted(turns.flat())).toEqual(NUMBERS)
  const shared = Array.from({ length: parts }, (_, shift) => sample(name, NUMBERS, shift, '7'))
  expect(sorted(shared.flat())).toEqual(NUMBERS)
})

test('every file runs on one of the databases with every commit, and with some on PostgreSQL', () => {
  const notOnDatabases = ['test/{cli,client,console,docs,mutations,simulation,wire}/**']
  const files = globSync('test/**/*.test.ts', { exclude: notOnDatabases }).toSorted()
  const samples = Array.from({ length: 30 }, (_, turn) => sampleOfCommit(notOnDatabases, String(turn)))
  for (const { postgres, notOnSqlite } of samples)
    expect(notOnSqlite.filter((file) => !postgres.includes(file))).toEqual([])
  expect([...new Set(samples.flatMap(({ postgres }) => postgres))].toSorted()).toEqual(files)
})
