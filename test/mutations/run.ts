/**
 * Seeds faults into money code, one at a time, and expects the tests to fail:
 *
 *   node test/mutations/run.ts --some 5     five of them, other ones with every commit
 *   node test/mutations/run.ts --all        all of them
 *   node test/mutations/run.ts NAME...      these
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { turnOfCommit } from '../support/sample.ts'
import { type SeededFault, FAULTS } from './faults.ts'
import { applyFault, findFault } from './seed-fault.ts'

const VITEST = 'node_modules/vitest/vitest.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { some: { type: 'string' }, all: { type: 'boolean' } },
})
const chosen = chooseFaults()
const reports = mkdtempSync(join(tmpdir(), 'vendops-faults-'))
const missed: string[] = []
const waiting = [...chosen]
try {
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, takeTurns))
} finally {
  rmSync(reports, { recursive: true, force: true })
}
console.log(
  missed.length === 0
    ? `The tests noticed ${chosen.length} of ${chosen.length} seeded faults.`
    : `The tests did not notice: ${missed.join(', ')}`,
)
process.exitCode = missed.length === 0 ? 0 : 1

function chooseFaults(): readonly SeededFault[] {
  if (positionals.length > 0) return positionals.map(findFault)
  if (values.all) return FAULTS
  const count = Number(values.some ?? 5)
  if (!Number.isInteger(count) || count < 1) throw new Error(`--some ${values.some} is not a number of faults`)
  const first = Number(turnOfCommit()) % FAULTS.length
  return [...FAULTS, ...FAULTS].slice(first, first + Math.min(count, FAULTS.length))
}

async function takeTurns(): Promise<void> {
  for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
    const startedAt = performance.now()
    const answer = await tryFault(fault)
    if (answer.noticedBy === undefined) missed.push(fault.name)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    const result = answer.noticedBy === undefined ? `NOT NOTICED: ${answer.why}` : `noticed by "${answer.noticedBy}"`
    console.log(`${fault.name} (${fault.breaks}): ${result}, ${seconds} s`)
  }
}

type Answer = { readonly noticedBy: string } | { readonly noticedBy?: undefined; readonly why: string }

/** Noticed is what made a test fail: a run that does not get as far as its tests proves nothing. */
async function tryFault(fault: SeededFault): Promise<Answer> {
  try {
    applyFault(fault, readFileSync(fault.file, 'utf8'))
  } catch (failure) {
    return { why: String(failure) }
  }
  const [project, file, tests] = fault.noticedBy
  const report = join(reports, `${fault.name}.json`)
  const filter = tests === undefined ? [] : ['--testNamePattern', tests]
  const output = ['--reporter', 'json', '--outputFile', report, '--bail', '1', '--maxWorkers', '1']
  const args = ['run', '--mode', 'sample', '--project', project, ...output, ...filter, file]
  const printed = await run([VITEST, ...args], { ...process.env, SEEDED_FAULT: fault.name })
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
    const failed = testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .find(({ status }) => status === 'failed')
    return failed ? { noticedBy: failed.fullName } : { why: `${project} ${file} passed\n${printed.slice(-2000)}` }
  } catch {
    return { why: `the tests did not run\n${printed.slice(-2000)}` }
  }
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
    child.on('error', reject)
    child.on('close', () => resolve(printed))
  })
}
