/** The rules on the command line: shown with their origin, set with an owner's key, and their history. */
import { expect, test } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { runCli } from '../../src/cli/cli.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { EXIT } from '../../src/cli/exit.ts'
import { memoryTerminal } from '../../src/cli/memory-terminal.test-support.ts'
import { fetchInto } from '../../src/cli/simulate/simulation.ts'
import { addKey } from '../people/keys.ts'
import { startService, TOKEN } from '../support/service.ts'

async function startCli() {
  const service = await startService()
  const { key } = await addKey(service, 'owner', 'Wang')
  const guardrails = async (token: string, ...words: readonly string[]) => {
    const terminal = memoryTerminal([])
    const client = createClient({ token, fetch: fetchInto(service.server), attempts: 1 })
    const { signal } = new AbortController()
    const options = { commands: COMMANDS, terminal, env: {}, signal, connect: () => client }
    const exit = await runCli(['guardrails', ...words], options)
    return { exit, out: terminal.stdout, err: terminal.stderr }
  }
  return { service, key, guardrails }
}

test('an owner sets rules, sees them, their origin and their history, and takes them back', async () => {
  const { service, key, guardrails } = await startCli()
  const set = await guardrails(
    key,
    'set',
    'spendingLimitPerDay=2000',
    'autonomy.restock=propose',
    'minimumMarginPercent=12.5',
    'newProducts=true',
  )
  expect(set.exit).toBe(EXIT.ok)
  const { rules } = (await service.get('/guardrails')).body
  expect(rules).toMatchObject({
    spendingLimitPerDay: 200_000,
    autonomy: { restock: 'propose', prices: 'off' },
    minimumMarginPercent: 12.5,
    newProducts: true,
  })
  const shown = await guardrails(TOKEN)
  expect(shown.out).toMatch(/spendingLimitPerRun +¥500\.00 +file +set on the server/)
  expect(shown.out).toMatch(/spendingLimitPerDay +¥2,000\.00 +owner/)
  await guardrails(key, 'set', 'spendingLimitPerDay=none')
  expect((await service.get('/guardrails')).body.rules).not.toHaveProperty('spendingLimitPerDay')
  const history = await guardrails(TOKEN, 'history', '--limit', '1')
  expect(history.out).toMatch(/spendingLimitPerDay +¥2,000\.00 +– +Wang/)
})

test('the operator token, a rule of the file and a misspelt one are refused', async () => {
  const { key, guardrails } = await startCli()
  expect((await guardrails(TOKEN, 'set', 'spendingLimitPerDay=1')).exit).not.toBe(EXIT.ok)
  const locked = await guardrails(key, 'set', 'spendingLimitPerRun=1')
  expect([locked.exit === EXIT.ok, locked.err]).toEqual([false, expect.stringContaining('set in the rules file')])
  expect((await guardrails(key, 'set', 'spendingLimitPerDya=1')).exit).not.toBe(EXIT.ok)
  expect((await guardrails(key, 'set', 'spendingLimitPerDay=much')).exit).toBe(EXIT.usage)
})
