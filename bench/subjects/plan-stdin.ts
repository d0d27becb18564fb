/** Plans from standard input, for the benchmark: one state per line in, one plan per line out. */
import { planLines } from '../../src/acts/replenishment/planner-cli/plan-lines.ts'

await planLines(process.stdin, (text) => process.stdout.write(text))
