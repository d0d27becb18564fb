/** Orders at suppliers that nobody can ask, after the database was restored to before them (ADR 36). */
import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { countOthersOrders, orderJournals } from './order-journal.ts'
import { type Log, silentLog } from '../../kernel/log.ts'
import type { Namespace } from '../../kernel/ids.ts'
import type { Remembered } from '../../vendors/memory.ts'
import { testMemory } from '../../vendors/sheet/memory.test-support.ts'
import { type OpenOptions, granted, openSheet, order } from '../../vendors/sheet/sheet.test-support.ts'
import { startSmtp } from '../../vendors/sheet/send/smtp-server.test-support.ts'
import { connect, recordOf, usdOrder } from '../../vendors/ucp/ucp.test-support.ts'
import { completesOrder, ucpMerchant } from '../../../test/contracts/ucp-merchant.ts'

const NAMESPACE = 'wholesale-supply' as Namespace

function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-data-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Opens it again each time, as another process of this host would. */
const journalIn = (folder: string, namespace = NAMESPACE, databaseId?: string) =>
  orderJournals(join(folder, 'vendops.db'), silentLog, databaseId)(namespace)

/** A database as it was at this moment. */
const restored = (entries: ReadonlyMap<string, Remembered> = new Map()) => testMemory({}, new Map(entries))

describe('a restored database and orders as documents', () => {
  const sheetOn = (folder: string, options: OpenOptions = {}) =>
    openSheet({ ...options, needs: { journal: journalIn(folder), ...options.needs } })

  test('a sent order is found as before, and its number is not used again', async () => {
    const folder = dataFolder()
    const before = sheetOn(folder)
    await before.vendor.createOrder(order(), granted)
    const status = await before.vendor.orderStatus('po_1')
    // Collected by the supplier.
    rmSync(join(before.folder, 'out/po_1.csv'))
    const after = sheetOn(folder, { folder: before.folder, memory: restored() })
    expect(await after.vendor.orderStatus('po_1')).toEqual(status)
    expect(await after.vendor.createOrder(order(), granted)).toMatchObject({ ok: true })
    expect(after.out()).toEqual([])
    expect(await after.vendor.orderStatus('po_2')).toMatchObject({ reason: 'absent' })
  })

  test('an order about which nobody is sure stays for a person', async () => {
    const folder = dataFolder()
    const server = await startSmtp()
    onTestFinished(() => server.close())
    server.trouble = { at: 'end', how: 'close' }
    const mail = { via: 'email', to: 'desk@wholesale.example', from: 'orders@route.example', smtp: server.url }
    const before = sheetOn(folder, { order: mail })
    expect(await before.vendor.createOrder(order(), granted)).toMatchObject({ reason: 'unknown' })
    server.trouble = undefined
    const after = sheetOn(folder, { folder: before.folder, order: mail, memory: restored() })
    expect(await after.vendor.orderStatus('po_1')).toMatchObject({ reason: 'unknown', onlyPersonKnows: true })
    expect(await after.vendor.createOrder(order(), granted)).toMatchObject({ reason: 'unknown' })
    expect(server.textsBegun).toBe(1)
  })

  test('an order that was only denied may be sent', async () => {
    const folder = dataFolder()
    const before = sheetOn(folder)
    await before.vendor.createOrder(order(), () => Promise.reject(new Error('away')))
    const after = sheetOn(folder, { folder: before.folder, memory: restored() })
    expect(await after.vendor.orderStatus('po_1')).toMatchObject({ reason: 'absent' })
    expect(await after.vendor.createOrder(order(), granted)).toMatchObject({ ok: true })
    expect((await after.memory.get('order/po_1'))?.value).toMatchObject({ attempt: 2, state: 'sent' })
  })

  test('the state of a database that is only older is not believed', async () => {
    const folder = dataFolder()
    const before = sheetOn(folder)
    await before.vendor.createOrder(order(), () => Promise.reject(new Error('away')))
    const backup = new Map((await before.memory.list('')).map(({ key, ...entry }) => [key, entry] as const))
    await before.vendor.createOrder(order(), granted)
    const after = sheetOn(folder, { folder: before.folder, memory: restored(backup) })
    expect(await after.vendor.orderStatus('po_1')).toMatchObject({ ok: true })
  })

  test('an instance puts back what it sent, so instances on other hosts know it', async () => {
    const [one, other] = [dataFolder(), dataFolder()]
    const before = sheetOn(one)
    await before.vendor.createOrder(order(), granted)
    const memory = restored()
    sheetOn(one, { folder: before.folder, memory })
    await expect.poll(() => memory.entries.get('order/po_1')?.value).toMatchObject({ state: 'sent' })
    const elsewhere = sheetOn(other, { folder: before.folder, memory })
    expect(await elsewhere.vendor.orderStatus('po_1')).toMatchObject({ ok: true })
  })

  test('what cannot be written into the journal is not sent', async () => {
    const folder = dataFolder()
    const journal = { ...journalIn(folder), append: () => Promise.reject(new Error('ENOSPC')) }
    const sheet = sheetOn(folder, { needs: { journal } })
    expect(await sheet.vendor.createOrder(order(), granted)).toMatchObject({ reason: 'unsent' })
    expect(sheet.out()).toEqual([])
    expect(await sheet.vendor.orderStatus('po_1')).toMatchObject({ reason: 'absent' })
  })

  test('X12 numbers are not given again, and replies under them find the order', async () => {
    const folder = dataFolder()
    const long = 'run_2026-11-09_0001.wholesale-supply'
    const before = sheetOn(folder, { order: { format: 'x12' } })
    await before.vendor.createOrder(order(long), granted)
    const numbersIn = (document: string) => [
      /BEG\*00\*SA\*([^*]+)/.exec(document)?.[1],
      /IEA\*1\*(\d+)/.exec(document)?.[1],
    ]
    const [short, control] = numbersIn(before.sent(`${long}.edi`))
    // The same second, and a host without that journal.
    const elsewhere = sheetOn(dataFolder(), { folder: before.folder, order: { format: 'x12' }, memory: restored() })
    elsewhere.clock.advance(1_000)
    await elsewhere.vendor.createOrder(order('po_2'), granted)
    expect(numbersIn(before.sent('po_2.edi'))[1]).not.toBe(control)
    const after = sheetOn(folder, { folder: before.folder, order: { format: 'x12' }, memory: restored() })
    await after.vendor.orderStatus(long)
    await after.vendor.createOrder(order('po_3'), granted)
    expect(numbersIn(before.sent('po_3.edi'))[1]).not.toBe(control)
    after.reply('1.csv', `po,status,sku,qty\n${short},accepted,,\n`)
    expect(await after.vendor.orderStatus(long)).toMatchObject({ value: { raw: 'accepted' } })
  })
})

describe('a restored database and orders at a merchant', () => {
  const merchantOn = async () => {
    const merchant = await ucpMerchant({ version: '2026-04-08', transport: 'rest' })
    onTestFinished(() => merchant.close())
    return merchant
  }
  const shopOn = (url: string, folder: string, memory = restored()) =>
    connect(url, {}, { memory, timeoutMs: 10_000, journal: journalIn(folder, 'shop-supply' as Namespace) })

  test('a bought order is found, and its number buys nothing else', async () => {
    const folder = dataFolder()
    const merchant = await merchantOn()
    const before = shopOn(merchant.url, folder)
    await before.vendor.catalog()
    await before.vendor.createOrder(usdOrder('po_1'), granted)
    const status = await before.vendor.orderStatus('po_1')
    expect(status).toMatchObject({ ok: true, value: { createdAt: before.clock.now() } })
    const after = shopOn(merchant.url, folder)
    expect(await after.vendor.orderStatus('po_1')).toEqual(status)
    expect(await after.vendor.createOrder(usdOrder('po_1'), granted)).toMatchObject({ ok: true })
    expect(merchant.completions()).toBe(1)
  })

  test('so is one whose reply was lost', async () => {
    const folder = dataFolder()
    const merchant = await merchantOn()
    const before = shopOn(merchant.url, folder)
    await before.vendor.catalog()
    merchant.fail({ fault: { kind: 'dropped' }, when: completesOrder, acting: true, times: 1 })
    expect(await before.vendor.createOrder(usdOrder('po_1'), granted)).toMatchObject({ reason: 'unknown' })
    expect(recordOf(before, 'po_1')).toMatchObject({ state: 'completing' })
    const after = shopOn(merchant.url, folder)
    expect(await after.vendor.orderStatus('po_1')).toMatchObject({ ok: true })
  })
})

describe('two databases with one data folder', () => {
  const sheetOf = (folder: string, databaseId: string | undefined, options: OpenOptions = {}) =>
    openSheet({ ...options, needs: { journal: journalIn(folder, NAMESPACE, databaseId) } })

  test('an order of the other is not ours, is not put back, and its number is not sent a second time', async () => {
    const folder = dataFolder()
    const one = sheetOf(folder, 'one')
    await one.vendor.createOrder(order(), granted)
    const other = sheetOf(folder, 'other')
    expect(await other.vendor.orderStatus('po_1')).toMatchObject({ reason: 'absent' })
    expect(other.vendor.journaledRefs?.(0)).toEqual([])
    expect(await other.vendor.createOrder(order(), granted)).toMatchObject({ reason: 'rejected', documented: true })
    expect([other.out(), await other.memory.get('order/po_1')]).toEqual([[], undefined])
    expect(await other.vendor.createOrder(order('po_2'), granted)).toMatchObject({ ok: true })
    // Each finds its own again after a restore.
    for (const [id, ref, world] of [
      ['one', 'po_1', one],
      ['other', 'po_2', other],
    ] as const) {
      const again = sheetOf(folder, id, { folder: world.folder, memory: restored() })
      expect(again.vendor.journaledRefs?.(0)).toEqual([ref])
      expect(await again.vendor.orderStatus(ref)).toMatchObject({ ok: true })
      expect(await again.vendor.createOrder(order(ref), granted)).toMatchObject({ ok: true })
      expect(world.out()).toEqual([`${ref}.csv`])
    }
    expect([countOthersOrders(join(folder, 'vendops.db'), 'one'), countOthersOrders(join(folder, 'x'), 'one')]).toEqual(
      [1, 0],
    )
  })

  test('the same at a merchant: nothing is asked of it', async () => {
    const folder = dataFolder()
    const merchant = await ucpMerchant({ version: '2026-04-08', transport: 'rest' })
    onTestFinished(() => merchant.close())
    const shopOf = (databaseId: string) =>
      connect(
        merchant.url,
        {},
        { timeoutMs: 10_000, journal: journalIn(folder, 'shop-supply' as Namespace, databaseId) },
      )
    for (const id of ['one', 'other']) {
      const shop = shopOf(id)
      await shop.vendor.catalog()
      expect(await shop.vendor.createOrder(usdOrder('po_1'), granted)).toMatchObject(
        id === 'one' ? { ok: true } : { reason: 'rejected', documented: true },
      )
    }
    expect(merchant.completions()).toBe(1)
  })

  test('lines without an id are of an earlier version and count for every database; so do all for one without an id', async () => {
    const folder = dataFolder()
    await sheetOf(folder, undefined).vendor.createOrder(order(), granted)
    expect(sheetOf(folder, 'one').vendor.journaledRefs?.(0)).toEqual(['po_1'])
    await sheetOf(folder, 'one').vendor.createOrder(order('po_2'), granted)
    const untied = sheetOf(folder, undefined)
    expect(untied.vendor.journaledRefs?.(0)).toEqual(['po_1', 'po_2'])
    expect(await untied.vendor.orderStatus('po_2')).toMatchObject({ ok: true })
  })

  test('a warning says once how many there are', async () => {
    const folder = dataFolder()
    await sheetOf(folder, 'one').vendor.createOrder(order(), granted)
    const warn = vi.fn<Log['warn']>()
    const journal = orderJournals(join(folder, 'vendops.db'), { ...silentLog, warn }, 'other')(NAMESPACE)
    for (let i = 0; i < 3; i += 1) expect(journal.find('po_1')).toBeUndefined()
    expect(warn.mock.calls).toEqual([
      [{ file: join(folder, 'vendops.db.orders'), orders: 1 }, expect.stringContaining('of another database')],
    ])
  })
})

describe('the journal', () => {
  const entry = (ref: string, attempt: number, step: number, more = {}) => ({
    ref,
    attempt,
    step,
    order: { ref, startedAt: attempt, ...more },
  })

  test('is a file for its owner only that states each member once', async () => {
    const folder = dataFolder()
    const journal = journalIn(folder)
    await journal.append(entry('po_1', 1, 1, { state: 'sending', lines: [1, 2, 3] }))
    await journal.append(entry('po_1', 1, 9, { state: 'sent', lines: [1, 2, 3] }))
    const file = join(folder, 'vendops.db.orders')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8').match(/lines/g)).toHaveLength(1)
    expect(journalIn(folder).find('po_1')).toEqual(entry('po_1', 1, 9, { state: 'sent', lines: [1, 2, 3] }))
    expect(journalIn(folder, 'other-supply' as Namespace).find('po_1')).toBeUndefined()
  })

  test('survives a process that died in the middle of a line, and entries of processes that came late', async () => {
    const folder = dataFolder()
    const file = join(folder, 'vendops.db.orders')
    const [one, other] = [journalIn(folder), journalIn(folder)]
    await one.append(entry('po_1', 2, 1))
    appendFileSync(file, '{"namespace":"wholesale-sup')
    await other.append(entry('po_2', 1, 1))
    await other.append(entry('po_1', 1, 2))
    expect([one.find('po_1'), one.find('po_2')]).toMatchObject([{ attempt: 2 }, { attempt: 1 }])
    expect(journalIn(folder).refs(0).toSorted()).toEqual(['po_1', 'po_2'])
    expect(journalIn(folder).refs(2)).toEqual(['po_1'])
  })

  test.skipIf(process.getuid?.() === 0)('that cannot be read does not pass for an empty one', async () => {
    const folder = dataFolder()
    const file = join(folder, 'vendops.db.orders')
    writeFileSync(file, '{}\n')
    chmodSync(file, 0o000)
    expect(() => journalIn(folder).find('po_1')).toThrow('EACCES')
  })
})
