import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { SendPermit } from '../../contract.ts'
import { testMemory } from '../memory.test-support.ts'
import { type OpenOptions, granted, openSheet, order } from '../sheet.test-support.ts'
import { type SmtpServer, type SmtpStep, startSmtp } from './smtp-server.test-support.ts'

const openMail = (server: SmtpServer, more: object = {}, options: OpenOptions = {}) =>
  openSheet({
    ...options,
    order: { via: 'email', to: 'desk@wholesale.example', from: 'orders@route.example', smtp: server.url, ...more },
  })

describe('an order by e-mail', () => {
  test('is one message with the document and readable lines', async () => {
    const server = await startSmtp()
    const { vendor } = openMail(server, { cc: ['books@route.example'] })
    expect(await vendor.createOrder(order(), granted)).toEqual({ ok: true, value: { externalRef: 'po_1' } })
    expect(server.mails).toHaveLength(1)
    expect(server.faults).toEqual([])
    const [mail] = server.mails
    expect(mail?.from).toBe('orders@route.example')
    expect(mail?.to).toEqual(['desk@wholesale.example', 'books@route.example'])
    expect(mail?.text).toContain('Message-ID: <po_1.wholesale-supply@route.example>')
    expect(mail?.text).toContain('Subject: Purchase order po_1')
    expect(mail?.text).toContain('2 x pack of 24  TEA-24  Iced tea')
    expect(mail?.text).toContain('Total: 57.25 USD')
    const attached = /filename=po_1\.csv[\s\S]*?\r\n\r\n([A-Za-z0-9+/=\r\n]+)/.exec(mail?.text ?? '')?.[1] ?? ''
    expect(Buffer.from(attached, 'base64').toString()).toMatch(
      /^po,sku,title,qty,unit,pack_or_each_price,case_size,price_of_one\r\npo_1,TEA-24,/,
    )
  })

  test('the same reference again sends nothing', async () => {
    const server = await startSmtp()
    const { vendor, memory } = openMail(server)
    const first = await vendor.createOrder(order(), granted)
    expect(await vendor.createOrder(order(), granted)).toEqual(first)
    // Another instance, or this one after a restart.
    expect(await openMail(server, {}, { memory }).vendor.createOrder(order(), granted)).toEqual(first)
    expect(server.mails).toHaveLength(1)
  })

  test.each([
    ['greeting', 421, 'limited'],
    ['greeting', 554, 'rejected'],
    ['greeting', 'close', 'unsent'],
    ['greeting', 'silence', 'unsent'],
    ['ehlo', 'close', 'unsent'],
    ['auth', 535, 'unauthorized'],
    ['auth', 454, 'limited'],
    ['auth', 'close', 'unsent'],
    ['mail', 550, 'rejected'],
    ['mail', 451, 'limited'],
    ['mail', 'close', 'unsent'],
    ['rcpt', 550, 'rejected'],
    ['rcpt', 450, 'limited'],
    ['rcpt', 'close', 'unsent'],
    ['data', 554, 'rejected'],
    ['data', 'close', 'unsent'],
    ['data', 'silence', 'unsent'],
    ['end', 554, 'rejected'],
    ['end', 452, 'limited'],
  ] as const)('%s answered with %s is %s, nothing was sent, and it can be tried again', async (at, how, reason) => {
    const server = await startSmtp()
    const { vendor } = openMail(server, {}, { needs: { timeoutMs: how === 'silence' ? 2_000 : 20_000 } })
    server.trouble = { at, how }
    expect(await vendor.createOrder(order(), granted)).toMatchObject({
      ok: false,
      reason,
      ...((reason === 'rejected' || reason === 'unauthorized') && { documented: true }),
    })
    expect(server.mails).toEqual([])
    expect(await vendor.orderStatus('po_1')).toMatchObject({ ok: false, reason: 'absent' })
    server.trouble = undefined
    expect(await vendor.createOrder(order(), granted)).toMatchObject({ ok: true })
    expect(server.mails).toHaveLength(1)
  })

  test.each([
    ['text', 'close'],
    ['end', 'close'],
    ['end', 'silence'],
    ['end', 421],
  ] as const)(
    'a connection lost at %s (%s) leaves open whether it was sent, and it is never sent again',
    async (at, how) => {
      const server = await startSmtp()
      // Only silence ends by the time limit, which a busy host must not reach before the text.
      const { vendor, memory } = openMail(server, {}, { needs: { timeoutMs: how === 'silence' ? 2_000 : 20_000 } })
      server.trouble = { at, how }
      const unsure = { ok: false, reason: 'unknown', onlyPersonKnows: true }
      expect(await vendor.createOrder(order(), granted)).toMatchObject(unsure)
      server.trouble = undefined
      const before = server.mails.length
      expect(await vendor.createOrder(order(), granted)).toMatchObject(unsure)
      expect(await openMail(server, {}, { memory }).vendor.createOrder(order(), granted)).toMatchObject(unsure)
      expect(await vendor.orderStatus('po_1')).toMatchObject(unsure)
      expect(server.mails).toHaveLength(before)
    },
  )

  test('a person may say that it was not placed; then it is sent again', async () => {
    const server = await startSmtp()
    const { vendor } = openMail(server, {}, { needs: { timeoutMs: 20_000 } })
    server.trouble = { at: 'text', how: 'close' }
    await vendor.createOrder(order(), granted)
    server.trouble = undefined
    expect(await vendor.createOrder(order('po_1', { isRecordedAsNotPlaced: true }), granted)).toMatchObject({
      ok: true,
    })
    expect(server.mails).toHaveLength(1)
  })

  test('a reply shows that it arrived, so it is not sent again whatever a person says', async () => {
    const server = await startSmtp()
    const { vendor, reply } = openMail(server, {}, { needs: { timeoutMs: 20_000 } })
    server.trouble = { at: 'end', how: 'close' }
    await vendor.createOrder(order(), granted)
    server.trouble = undefined
    reply('confirmation.csv', 'po,status,sku,qty\npo_1,accepted,,\n')
    expect(await vendor.createOrder(order('po_1', { isRecordedAsNotPlaced: true }), granted)).toMatchObject({
      ok: true,
    })
    expect(await vendor.orderStatus('po_1')).toMatchObject({ ok: true, value: { state: 'ordered', raw: 'accepted' } })
    expect(server.mails).toHaveLength(1)
  })

  test('one refused address of several gives a notice; when all of the supplier are refused, it is rejected', async () => {
    const server = await startSmtp()
    const to = ['desk@wholesale.example', 'second@wholesale.example']
    const { vendor, notices } = openMail(server, { to, cc: 'books@route.example' })
    server.trouble = { at: 'rcpt', how: 550, recipient: 'second@wholesale.example' }
    expect(await vendor.createOrder(order(), granted)).toMatchObject({ ok: true })
    expect(notices).toEqual(['The mail server refused 1 of the addresses of an order'])
    const alone = openMail(server, { cc: 'books@route.example' })
    server.trouble = { at: 'rcpt', how: 550, recipient: 'desk@wholesale.example' }
    expect(await alone.vendor.createOrder(order('po_2'), granted)).toMatchObject({
      reason: 'rejected',
      documented: true,
    })
    // Nothing went to our own copy either, so a later attempt is the first one.
    expect([server.mails.length, server.textsBegun]).toEqual([1, 1])
    server.trouble = undefined
    expect(await alone.vendor.createOrder(order('po_2'), granted)).toMatchObject({ ok: true })
    expect(server.mails).toHaveLength(2)
  })

  test('the text is written only inside the permit, and memory says so before', async () => {
    const server = await startSmtp()
    const memory = testMemory()
    const { vendor } = openMail(server, {}, { memory })
    let seen: unknown
    const permit: SendPermit = async (write) => {
      await sleep(30)
      expect(server.textsBegun).toBe(0)
      seen = memory.entries.get('order/po_1')?.value
      write()
      return undefined
    }
    expect(await vendor.createOrder(order(), permit)).toMatchObject({ ok: true })
    expect(seen).toMatchObject({ state: 'sending' })
  })

  test.each([
    [
      'denied',
      async () => ({ code: 'kill_switch_engaged', message: 'the emergency stop is on' }) as const,
      { denied: 'kill_switch_engaged' },
    ],
    ['failing', () => Promise.reject(new Error('no database')), {}],
  ] as [string, SendPermit, object][])('a %s permit sends nothing', async (_, permit, more) => {
    const server = await startSmtp()
    const { vendor } = openMail(server)
    expect(await vendor.createOrder(order(), permit)).toMatchObject({ ok: false, reason: 'unsent', ...more })
    expect([server.mails.length, server.textsBegun]).toEqual([0, 0])
    expect(await vendor.orderStatus('po_1')).toMatchObject({ reason: 'absent' })
    expect(await vendor.createOrder(order(), granted)).toMatchObject({ ok: true })
  })

  test('a permit that writes too late writes nothing', async () => {
    const server = await startSmtp()
    const { vendor } = openMail(server, {}, { needs: { timeoutMs: 300 } })
    let late: (() => void) | undefined
    const permit: SendPermit = (write) => {
      late = write
      return new Promise(() => {})
    }
    expect(await vendor.createOrder(order(), permit)).toMatchObject({ reason: 'unsent' })
    late?.()
    await sleep(30)
    expect(server.textsBegun).toBe(0)
  })

  test('no text of a failure shows the server or the credentials', async () => {
    const server = await startSmtp()
    const { vendor } = openMail(server)
    for (const at of ['greeting', 'auth', 'mail', 'end'] as SmtpStep[]) {
      server.trouble = { at, how: 554 }
      const text = JSON.stringify(await vendor.createOrder(order(`po_${at}`), granted))
      for (const hidden of ['127.0.0.1', 's3cret-pass', '"orders']) expect(text).not.toContain(hidden)
    }
  })

  test('a password does not cross a network without TLS', async () => {
    const server = await startSmtp()
    // Reaches this machine too, but does not look like it.
    const { vendor } = openMail(server, { smtp: server.url.replace('127.0.0.1', '0.0.0.0') })
    expect(await vendor.createOrder(order(), granted)).toMatchObject({ ok: false })
    expect([server.mails.length, server.logins]).toEqual([0, 0])
  })
})
