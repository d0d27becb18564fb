/** Staging from end to end over HTTP: what is received is in the simulated machines, also after a sync and a restart. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import type { ReplenishmentPlan } from '../../src/contract/shapes/replenishment.ts'
import { startStaging } from '../support/staging.ts'

const clientOf = ({ port, token }: { readonly port: number; readonly token: string }) =>
  createClient({ baseUrl: `http://127.0.0.1:${port}`, token })

const stocks = ({ plans }: ReplenishmentPlan) => new Map(plans.map(({ slot_id, stock }) => [slot_id, stock]))
const orders = ({ plans }: ReplenishmentPlan) =>
  new Map(
    plans.flatMap(({ slot_id, recommendation }) =>
      recommendation.quantity === undefined ? [] : [[slot_id, recommendation.quantity] as const],
    ),
  )

test('4.7 plan, run, place, receive, sync: the machines are filled, and the plan wants less than before', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-staging-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const first = await startStaging({ folder })
  const client = clientOf(first)
  const before = await client.getPlan()
  const wanted = orders(before)
  expect(wanted.size).toBeGreaterThan(0)

  const run = await client.createRun()
  const [waiting] = Object.values(run.actions ?? {}).flat()
  if (waiting) await client.resolveApproval({ params: { id: waiting.id }, body: { approved: true } })
  const placed = await client.placeRun({ params: { id: run.id } })
  const delivered = placed.line_items.map(({ slot_id, quantity }) => ({ slot_id, quantity: quantity.total }))
  // One machine by itself, the others at once, if the hour has others due: both fill the simulated machines.
  const [alone] = placed.visits ?? []
  const own = delivered.filter(({ slot_id }) => slot_id.startsWith(`${alone!.location}-`))
  expect(own.length).toBeGreaterThan(0)
  await client.receiveStop({ params: { id: run.id, location: alone!.location }, body: { delivered: own } })
  const rest = delivered.filter((line) => !own.includes(line))
  if (rest.length > 0) await client.receiveRun({ params: { id: run.id }, body: { delivered: rest } })

  /** A shopper may come in between, and a lane may hold less than was brought; nothing falls back to the old level. */
  const expectFilled = (plan: ReplenishmentPlan) => {
    const now = stocks(plan)
    let risen = 0
    for (const { slot_id } of delivered) {
      const gain = now.get(slot_id)! - stocks(before).get(slot_id)!
      expect(gain).toBeGreaterThanOrEqual(0)
      if (gain > 0) risen++
    }
    expect(risen).toBeGreaterThan(0.75 * delivered.length)
    // Slots of unknown capacity are probed upwards, so some are asked for again; what was just put in is not.
    const ordered = orders(plan)
    const unitsOf = (of: ReadonlyMap<string, number>) =>
      delivered.reduce((sum, { slot_id }) => sum + (of.get(slot_id) ?? 0), 0)
    expect(unitsOf(ordered)).toBeLessThan(unitsOf(wanted))
  }
  await client.syncLocations({ body: {} })
  const after = await client.getPlan()
  expectFilled(after)

  const [{ location } = { location: '' }] = placed.line_items
  const shown = await client.searchCatalog({
    body: { filters: { namespace: 'acme-machine', location }, pagination: { limit: 100 } },
  })
  const planned = stocks(await client.getPlan())
  for (const { variants } of shown.products)
    expect(planned.get(variants[0]!.inventory!.slot_id)).toBe(variants[0]!.inventory!.stock)

  await first.stop()
  const second = await startStaging({ folder, env: { OPERATOR_TOKEN: first.token } })
  await clientOf(second).syncLocations({ body: {} })
  expectFilled(await clientOf(second).getPlan())
}, 120_000)

test('in live nothing fills machines but people', async () => {
  const { serve } = await import('../../src/main.ts')
  const { readConfig } = await import('../../src/config.ts')
  const folder = mkdtempSync(join(tmpdir(), 'vendops-live-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const env = {
    VENDOPS_ENV: 'live',
    PORT: '0',
    PUBLIC_URL: 'http://127.0.0.1',
    OPERATOR_TOKEN: 'live-token-0123456789',
    DATABASE_URL: `sqlite:${join(folder, 'vendops.db')}`,
    LOG_LEVEL: 'silent',
  }
  const read = readConfig(env, () => true)
  if (!read.ok) throw new Error(read.problems.join('; '))
  const running = await serve(read.config, [])
  onTestFinished(() => running.stop())
  expect(running.ctx.fillMachines).toBeUndefined()
})
