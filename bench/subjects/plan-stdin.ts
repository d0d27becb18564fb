/**
 * Plans from standard input, for the benchmark: one state per line in, one plan per line out. With SHELF_LIFE=learned it
 * also learns from them how long goods keep.
 */
import { createInterface } from 'node:readline'
import { planLine, planLines } from '../../src/acts/replenishment/planner-cli/plan-lines.ts'
import { shelfLifeLearner } from './learn-shelf-life.ts'

const write = (text: string) => process.stdout.write(text)

if (process.env['SHELF_LIFE'] === 'learned') {
  const learn = shelfLifeLearner()
  for await (const line of createInterface({ input: process.stdin })) {
    const state = JSON.parse(line) as Parameters<typeof learn>[0]
    learn(state)
    write(`${planLine(JSON.stringify(state))}\n`)
  }
} else await planLines(process.stdin, write)
