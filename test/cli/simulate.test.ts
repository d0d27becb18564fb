import { describe, expect, test } from 'vitest'
import { runCli } from '../../src/cli/cli.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { EXIT } from '../../src/cli/exit.ts'
import { memoryTerminal } from '../../src/cli/memory-terminal.test-support.ts'
import { buildReport } from '../../src/cli/simulate/report.ts'

async function simulate(line: string) {
  const terminal = memoryTerminal()
  const { signal } = new AbortController()
  const argv = ['simulate', ...line.split(' '), '--seed', '3', '--start', '2026-09-01', '--machines', '2']
  const exit = await runCli(argv, { commands: COMMANDS, terminal, env: {}, signal })
  return { exit, out: terminal.stdout, err: terminal.stderr }
}

describe('a simulated route', () => {
  test('sells, orders, spends and is restocked; the same seed and start give the same numbers', async () => {
    const [first, again] = [await simulate('5 --json'), await simulate('5 --json')]
    expect(first.exit).toBe(EXIT.ok)
    expect(again.out).toBe(first.out)
    const { total, failures } = JSON.parse(first.out)
    expect(failures).toEqual([])
    for (const figure of ['sold', 'revenueFen', 'bought', 'spentFen', 'loaded', 'visits'])
      expect(total[figure], figure).toBeGreaterThan(0)
  })

  test('with --checkouts no more is loaded than was ordered', async () => {
    const { exit, out } = await simulate('6 --json --checkouts')
    expect(exit).toBe(EXIT.ok)
    const { total } = JSON.parse(out)
    expect(total.spentFen).toBeGreaterThan(0)
    expect(total.loaded).toBeGreaterThan(0)
    expect(total.loaded + total.surplus).toBeLessThanOrEqual(total.bought)
  })

  test('with --operator what it did is counted at the supplier, too', async () => {
    const { exit, out } = await simulate('4 --json --cases --operator')
    expect(exit).toBe(EXIT.ok)
    const { operator } = JSON.parse(out)
    expect(operator.purchases).toBeGreaterThan(0)
    expect(operator).toMatchObject({ supplierOrders: operator.purchases, violations: 0 })
    expect(operator.questionsPerWeek).toBeCloseTo((operator.questions * 7) / 4, 0)
  })

  test('with --observe nothing is ordered', async () => {
    const { out } = await simulate('4 --observe --by day')
    const lines = out.split('\n')
    expect(lines[0]).toMatch(/^FROM +SOLD +REVENUE +LOST +BOUGHT +SPENT/)
    expect(lines).toHaveLength(1 + 4 + 1 + 3 + 1)
    expect(lines[5]).toMatch(/^total .* 0 +¥0\.00 +0 +0 +0 +0$/)
  })

  test.each(['0', 'x', '3 --step 5', '3 --traffic none', '3 --products 5'])('%s is a usage error', async (line) => {
    expect((await simulate(line)).exit).toBe(EXIT.usage)
  })
})

test('a report counts each day once in its period and once in the total', () => {
  const days = ['2026-09-01', '2026-09-02', '2026-09-03']
  const row = (day: string, sold: number) => ({
    location: 'M1',
    day,
    sold,
    lost: 1,
    revenueFen: 10,
    loaded: 0,
    visits: 0,
  })
  const at = Date.parse('2026-09-03T23:30:00+08:00')
  const report = buildReport(
    days,
    2,
    'Asia/Shanghai',
    [row('2026-09-01', 1), row('2026-09-02', 2), row('2026-09-03', 4), row('2026-09-04', 100)],
    [
      { kind: 'bought', at, units: 5, spentFen: 700 },
      { kind: 'approved', at },
      { kind: 'refused', operation: 'placeRun', at, code: 'x' },
    ],
  )
  expect(report.periods.map(({ from, sold, spentFen }) => [from, sold, spentFen])).toEqual([
    ['2026-09-01', 3, 0],
    ['2026-09-03', 4, 700],
  ])
  expect(report.total).toMatchObject({ sold: 7, lost: 3, bought: 5, approvals: 1, refused: 1 })
  expect(report.serviceLevel).toBe(0.7)
})
