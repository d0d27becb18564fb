/** Agents on the route: a program that has nothing but MCP tools runs simulated days of the real service. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startAgent } from '../../src/cli/simulate/agent/agent-process.ts'
import { summarizeCalls, toolCallOf } from '../../src/cli/simulate/agent/calls.ts'
import { openAgentServer } from '../../src/cli/simulate/agent/agent-server.ts'
import { playDays } from '../../src/cli/simulate/play.ts'
import { openSimulation } from '../../src/cli/simulate/simulation.ts'
import { HOUR, startOfDay } from '../../src/kernel/clock.ts'

const START = '2026-09-01'
/** The spending limit per run of staging, which every purchase has to keep or be approved. */
const LIMIT_FEN = 50_000

async function play(days: number, machines: number, command: string | undefined, stepHours = 12) {
  const startMs = startOfDay(START, 'Asia/Shanghai')
  const agentServer = await openAgentServer()
  onTestFinished(() => agentServer.close())
  const simulation = await openSimulation({
    env: {},
    startMs,
    stepMs: stepHours * HOUR,
    seed: 7,
    machines,
    traffic: 1,
    restocking: 'none',
    checkouts: true,
    database: undefined,
    publicUrl: agentServer.url,
  })
  onTestFinished(() => simulation.close())
  agentServer.connect(simulation.fetch)
  const agent =
    command === undefined
      ? undefined
      : startAgent({
          command,
          url: agentServer.url,
          key: await simulation.addOperator('agent'),
          // What an operator may have in the environment, and the agent must not see.
          env: {
            PATH: process.env['PATH'],
            DATABASE_URL: 'postgres://secret',
            MY_SECRET: 'secret',
            AGENT_MODEL: 'small',
          },
          timeoutMs: 200_000,
        })
  onTestFinished(() => agent?.close())
  const outcome = await playDays(simulation, {
    start: START,
    startMs,
    days,
    stepHours,
    daysPerPeriod: 7,
    orders: agent ? { by: 'agent', agent } : { by: 'nobody' },
    confirmAliases: true,
  })
  return { simulation, agentServer, outcome, calls: summarizeCalls(agentServer.calls) }
}

test('thirty days of the scripted agent: it earns, keeps the limits, asks where it must, and tries nothing forbidden', async () => {
  const { simulation, outcome, calls } = await play(30, 3, 'scripted')
  const { client, simulator, failures } = simulation
  expect(failures).toEqual([])
  expect(calls).toMatchObject({ violations: {}, failed: {} })
  expect(calls.calls).toBeGreaterThan(30 * 5)
  expect(outcome.serviceLevel).toBeGreaterThan(0.88)
  expect(outcome.accounts.profitFen).toBeGreaterThan(250_000)
  expect(outcome.total.loaded).toBeGreaterThan(1000)

  // A run within the limit has a decision too, which the service made.
  const decisions = await Array.fromAsync(client.all.listApprovals({ query: { status: 'all' } }))
  const approvals = decisions.filter(({ resolved_by }) => resolved_by === 'operator')
  expect(calls.asked).toBe(approvals.length)
  expect(approvals.length).toBeGreaterThan(0)
  for (const approval of approvals)
    expect(approval).toMatchObject({ status: 'approved', by: { name: 'agent', role: 'operator' } })
  const runs = await Array.fromAsync(client.all.listRuns({}))
  const approved = new Set(approvals.map(({ subject }) => subject.id))
  const orders = simulator.orders()
  expect(orders.length).toBeGreaterThan(10)
  expect(orders.reduce((sum, { totalFen }) => sum + totalFen, 0)).toBe(outcome.total.spentFen)
  for (const { outOrderNo, totalFen } of orders) {
    const run = runs.find(({ checkouts }) => checkouts?.some(({ id }) => id === outOrderNo))
    expect(totalFen <= LIMIT_FEN || approved.has(outOrderNo) || approved.has(run?.id ?? '')).toBe(true)
  }
}, 300_000)

test('without anybody the machines run empty and earn a fraction', async () => {
  const { outcome } = await play(30, 3, undefined, 24)
  expect(outcome.accounts.profitFen).toBeLessThan(100_000)
  expect(outcome.total.spentFen).toBe(0)
}, 300_000)

test('the reckless agent is refused every day by every rule, and the same seed gives the same days', async () => {
  const days = 3
  const [first, again] = [await play(days, 2, 'reckless'), await play(days, 2, 'reckless')]
  expect(first.calls.violations).toEqual({
    approval_required: days,
    confirmation_required: 2 * days,
    hard_no_go: 2 * days,
    tool_not_offered: 2 * days,
  })
  expect(again.outcome).toEqual(first.outcome)
  expect(again.agentServer.calls).toEqual(first.agentServer.calls)
  const { client, simulator } = first.simulation
  const approvals = await Array.fromAsync(client.all.listApprovals({ query: { status: 'all' } }))
  // What it asked for and took back was never approved; only runs were.
  expect(new Set(approvals.filter(({ status }) => status === 'approved').map(({ subject }) => subject.type))).toEqual(
    new Set(['replenishment_run']),
  )
  const runs = await Array.fromAsync(client.all.listRuns())
  const purchases = new Set(runs.flatMap(({ checkouts = [] }) => checkouts.map(({ id }) => id)))
  expect(simulator.orders().every(({ outOrderNo }) => purchases.has(outOrderNo))).toBe(true)
}, 300_000)

/** A program of somebody else: it exits after each turn, so the environment must tell it all. */
const OTHER_AGENT = `
const turn = JSON.parse(process.env.VENDOPS_TURN)
const post = (url, body) => fetch(url, { method: 'POST', body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.OPERATOR_TOKEN } })
const { result } = await (await post(process.env.VENDOPS_MCP_URL,
  { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'vending_get_me', arguments: {} } })).json()
if (result.structuredContent.role !== 'operator') process.exit(3)
const rest = await fetch(process.env.VENDOPS_URL + '/ucp/v1/replenishment/plan', { headers: { authorization: 'Bearer ' + process.env.OPERATOR_TOKEN } })
if (rest.status !== 404) process.exit(4)
if (JSON.stringify(process.env).includes('secret') || turn.date < '2026-09-01') process.exit(5)
if (process.env.AGENT_MODEL !== 'small') process.exit(6)
console.log('thinking about day', turn.day)
`

function programFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-agent-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'agent.mjs')
  writeFileSync(file, text)
  return `${process.execPath} ${file}`
}

test('any program can be the agent: it gets address, key and day, has tools only, and may exit after each day', async () => {
  const { calls, outcome } = await play(2, 1, programFile(OTHER_AGENT))
  expect(calls).toEqual({ calls: 2, asked: 0, violations: {}, failed: {} })
  expect(outcome.total.bought).toBe(0)
}, 300_000)

test('an agent that fails ends the simulation with its exit code', async () => {
  await expect(play(2, 1, programFile('process.exit(7)'))).rejects.toThrow('exit code 7')
}, 300_000)

test.each([
  [{ error: { code: -32_602, message: 'Unknown tool: x' } }, { outcome: 'refused', code: 'tool_not_offered' }],
  [{ error: { code: -32_000, message: 'No', data: { code: 'forbidden' } } }, { outcome: 'refused', code: 'forbidden' }],
  [{ error: { code: -32_000, message: 'No', data: { code: 'rate_limited' } } }, { outcome: 'failed' }],
  [{ result: { structuredContent: { messages: [{ type: 'warning', code: 'hard_no_go' }] } } }, { outcome: 'done' }],
  [{ result: { isError: true, structuredContent: {} } }, { outcome: 'failed', code: 'unknown' }],
])('an answer is counted by what became of the call (%#)', (answer, expected) => {
  expect(toolCallOf('complete_checkout', answer)).toMatchObject(expected)
})
