/** The example alerts name metrics that the service reports. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { startStaging } from '../support/staging.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const TOKEN = 'alerts-test-token-0123456789'

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[]
}

test('every metric of docs/alerts.yml exists, and docs/monitoring.md explains every alert', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-alerts-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { port } = await startStaging({ folder, env: { OPERATOR_TOKEN: TOKEN } })
  const get = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${TOKEN}` } })
  // A histogram is reported from its first observation on.
  await get('/ucp/v1/guardrails')
  const text = await (await get('/metrics')).text()
  const reported = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name))
  const { groups } = parse(readFileSync(join(ROOT, 'docs/alerts.yml'), 'utf8')) as Rules
  const rules = groups.flatMap((group) => group.rules)
  const named = rules.flatMap(({ expr }) => expr.match(/\bvendops_\w+/g) ?? [])
  expect(named.length).toBeGreaterThan(6)
  expect(named.filter((name) => !reported.has(name.replace(/_(count|bucket|sum)$/, '')))).toEqual([])
  const explained = readFileSync(join(ROOT, 'docs/monitoring.md'), 'utf8')
  expect(rules.filter(({ alert }) => !explained.includes(`| ${alert} |`))).toEqual([])
})
