/** A database restored without the repair: no number of an order is used again, at any supplier, and every lost order is found. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCli } from '../../src/cli/cli.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { memoryTerminal } from '../../src/cli/memory-terminal.test-support.ts'
import { startSmtp } from '../../src/vendors/sheet/send/smtp-server.test-support.ts'
import { DATABASE, copyDatabase } from '../support/database.ts'
import type { Json } from '../support/service.ts'
import { startDeployment } from './processes.ts'

const PATIENCE = 300_000
const BEFORE = 5
const LOST = 34
const AFTER = 12
const CHOSEN = ['PO-chosen-acme', 'PO-chosen-folder', 'PO-chosen-mail']

const sheet = (namespace: string, order: object) => ({
  namespace,
  adapter: 'sheet',
  currency: 'CNY',
  catalog: {
    file: 'list.csv',
    columns: { sku: 'sku', title: 'title', pack: 'pack', pack_price: 'case' },
    tax_rate: 13,
  },
  order: { format: 'csv', buyer: { name: 'Route One' }, ...order },
})

async function startThreeSuppliers() {
  const smtp = await startSmtp()
  const deployment = await startDeployment({
    // Nothing here waits for the limit, and a busy host must not be taken for a supplier that does not answer.
    timeoutMs: 30_000,
    connections: [
      sheet('folder-supply', { via: 'folder', out: 'out', inbox: 'in' }),
      sheet('mail-supply', {
        via: 'email',
        to: 'orders@supplier.example',
        from: 'route@operator.example',
        smtp: { env: 'SUPPLIER_SMTP' },
      }),
    ],
    env: { SUPPLIER_SMTP: smtp.url },
  })
  const { folder, basket, simulator, environment } = deployment
  for (const name of ['out', 'in']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'list.csv'), 'sku,title,pack,case\nTEA,Iced tea,24/CS,48.00\n')
  const boxes = (namespace: string) => ({
    ...basket,
    line_items: [{ item: { id: `${namespace}:TEA` }, quantity: 1, quantity_unit: { unit: 'BX' } }],
  })
  const mailed = () => smtp.mails.map(({ text }) => /(?:po_\d{8}_\d+|PO-chosen-\w+)/.exec(text)?.[0] ?? '?')
  const written = () => readdirSync(join(folder, 'out')).map((name) => name.replace(/\.csv$/, ''))
  return {
    ...deployment,
    baskets: [basket, boxes('folder-supply'), boxes('mail-supply')],
    /** Of each supplier, as it got them. */
    numbers: () => [simulator.orders().map(({ outOrderNo }) => outOrderNo), written(), mailed()],
    vendops: async (...argv: string[]) => {
      const terminal = memoryTerminal([])
      const { signal } = new AbortController()
      const exit = await runCli(argv, { commands: COMMANDS, terminal, env: environment, signal })
      return { exit, out: terminal.stdout, err: terminal.stderr }
    },
  }
}

describe('restored without the repair', () => {
  test(
    'no number is used again at any supplier, and the audit finds every lost order',
    { timeout: PATIENCE },
    async () => {
      const { start, url, baskets, numbers, vendops, folder } = await startThreeSuppliers()
      let instance = await start()
      const buy = async (n: number, id?: string) => {
        const created = await instance.call('POST', '/checkout-sessions', { ...baskets[n % 3], ...(id && { id }) })
        expect([id ?? n, created.body.status]).toEqual([id ?? n, 'ready_for_complete'])
        const path = `/checkout-sessions/${created.body.id}/complete`
        return { id: created.body.id as string, ...(await instance.call('POST', path, { confirm: true })) }
      }
      for (let n = 0; n < BEFORE; n++) expect((await buy(n)).status).toBe(200)
      const backup = join(folder, 'backup.db')
      let putBack = async () => {
        const restored = await vendops('restore', backup, '--yes')
        expect([restored.exit, restored.err]).toEqual([0, expect.anything()])
      }
      if (DATABASE === 'sqlite') expect((await vendops('backup', backup)).exit).toBe(0)
      else {
        // Nobody may have a database open while PostgreSQL copies it.
        instance.kill()
        await instance.gone
        putBack = await copyDatabase(url)
        instance = await start()
      }
      const lost: string[] = []
      const lose = async (n: number, chosen?: string) => {
        const { id, status } = await buy(n, chosen)
        expect([id, status]).toEqual([id, 200])
        lost.push(id)
      }
      for (let n = 0; n < LOST; n++) await lose(n)
      for (const [n, id] of CHOSEN.entries()) await lose(n, id)
      expect((await instance.call('POST', '/guardrails/stop', { reason: 'a test' })).status).toBe(200)
      instance.kill()
      await instance.gone
      const sent = numbers().flat()
      expect(sent.length).toBe(BEFORE + LOST + CHOSEN.length)

      await putBack()
      instance = await start()
      expect((await vendops('release', 'a', 'test', '--yes')).exit).toBe(0)

      // Each number that a caller chose, at every supplier but its own.
      for (const [own, id] of CHOSEN.entries()) {
        const { status, body } = await buy(own + 1, id)
        expect([id, status, body.messages[0].code]).toEqual([id, 502, 'supplier_rejected'])
      }
      const bought: string[] = []
      // The other way round: each number would have been one of another supplier.
      for (let n = 0; n < AFTER; n++) {
        const { id, status } = await buy(AFTER - n)
        expect([id, status]).toEqual([id, 200])
        bought.push(id)
      }
      const all = numbers().flat()
      expect(new Set(all).size).toBe(all.length)
      expect(bought.filter((id) => sent.includes(id))).toEqual([])

      const audited = JSON.parse((await vendops('audit', '--json')).out)
      const found = audited.problems
        .filter(({ code }: Json) => code === 'supplier_has_lost_order' || code === 'number_used_twice')
        .map(({ checkout }: Json) => checkout)
      expect(new Set(found)).toEqual(new Set(lost))
    },
  )
})
