/** Real processes with a real `sheet` supplier: its orders are files in a folder, its replies files in another. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DATABASE } from '../support/database.ts'
import { startDeployment, until } from './processes.ts'

const PATIENCE = 120_000
const SETTLED_WITHIN_MS = 60_000
const CONNECTION = {
  namespace: 'list-supply',
  adapter: 'sheet',
  currency: 'CNY',
  catalog: {
    file: 'list.csv',
    columns: { sku: 'sku', title: 'title', pack: 'pack', pack_price: 'case' },
    tax_rate: 13,
  },
  order: { via: 'folder', format: 'csv', out: 'out', inbox: 'in', buyer: { name: 'Route One' } },
}

async function startSheetDeployment() {
  const deployment = await startDeployment({ connections: [CONNECTION] })
  const { folder, basket } = deployment
  for (const name of ['out', 'in']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'list.csv'), 'sku,title,pack,case\nTEA,Iced tea,24/CS,48.00\n')
  return {
    ...deployment,
    out: join(folder, 'out'),
    inbox: join(folder, 'in'),
    order: { ...basket, line_items: [{ item: { id: 'list-supply:TEA' }, quantity: 2, quantity_unit: { unit: 'BX' } }] },
  }
}

/** One on each database: they take long. */
const POINTS = DATABASE === 'sqlite' ? ([['claimed', 0]] as const) : ([['answered', 1]] as const)

test.each<readonly ['claimed' | 'answered', number]>(POINTS)(
  'kill -9 at %s: there are %i order files, and in the end exactly one, within the agreed total',
  { timeout: PATIENCE },
  async (point, written) => {
    const { start, order, out, inbox, problems } = await startSheetDeployment()
    const doomed = await start(point)
    const { body } = await doomed.call('POST', '/checkout-sessions', order)
    expect(body.status).toBe('ready_for_complete')
    const path = `/checkout-sessions/${body.id}`
    await Promise.all([doomed.call('POST', `${path}/complete`, { confirm: true }).catch(() => {}), doomed.gone])
    expect(readdirSync(out)).toHaveLength(written)

    const { call } = await start()
    await until(
      async () => (await call('GET', path)).body.status === (written === 0 ? 'ready_for_complete' : 'completed'),
      SETTLED_WITHIN_MS,
    )
    const done = await call('POST', `${path}/complete`, { confirm: true })
    expect([done.status, done.body.status]).toEqual([200, 'completed'])
    const file = `${body.id}.csv`
    expect(readdirSync(out)).toEqual([file])
    const total = done.body.totals.find(({ type }: { type: string }) => type === 'total').amount
    expect(total).toBe(Math.round(2 * 4800 * 1.13))
    expect(readFileSync(join(out, file), 'utf8').trimEnd().split('\r\n').at(-1)).toBe(
      `${body.id},,Total,,CNY,${(total / 100).toFixed(2)},,`,
    )
    expect(await problems()).toEqual([])

    // The supplier has taken the file and answers; completing again writes nothing.
    rmSync(join(out, file))
    writeFileSync(join(inbox, 'reply.csv'), `po,status,sku,qty\n${body.id},accepted,TEA,1\n`)
    expect((await call('POST', `${path}/complete`, { confirm: true })).body.order.id).toBe(done.body.order.id)
    expect(readdirSync(out)).toEqual([])
    expect(await problems()).toEqual([])
  },
)
