/** Files that come by themselves: the same intake as uploads, and what nobody proves waits for an owner. */
import { expect, onTestFinished, test } from 'vitest'
import { MINUTE } from '../../src/kernel/clock.ts'
import type { Json } from '../support/service.ts'
import { type DoubleMail, startImapServer } from '../support/imap-server.ts'
import { hugeCell, zipBomb } from './hostile-bytes.ts'
import { PRICES_ONLY, startHosted } from './hosted-service.ts'

const LIST = 'Item,Description,Pack,Case price\n1,Coke,24/CS,24.00\n2,Tea,12/CS,6.00\n'
const PROVEN = 'Authentication-Results: mx.own.example; dmarc=pass header.from=depot.example\r\n'
const mail = (uid: number, text: string, more: Partial<DoubleMail> = {}): DoubleMail => ({
  uid,
  from: 'sales@depot.example',
  subject: `Prices ${uid}`,
  attachments: [{ name: 'prices.csv', bytes: Buffer.from(text) }],
  ...more,
})

async function start(...mails: DoubleMail[]) {
  const imap = await startImapServer(mails)
  onTestFinished(() => imap.close())
  const service = await startHosted()
  const fetch = {
    via: 'mailbox',
    host: '127.0.0.1',
    port: imap.port,
    user: 'buyer',
    password: 'secret',
    senders: ['sales@depot.example'],
    authenticated_by: 'mx.own.example',
    files: { price_list: ['prices*'] },
  }
  const settings = { ...PRICES_ONLY.settings, fetch }
  const added = await service.owner('POST', '/connections', { ...PRICES_ONLY, settings })
  expect([added.status, added.body.messages]).toEqual([201, undefined])
  return {
    service,
    imap,
    settings,
    round: async () => {
      service.clock.advance(11 * MINUTE)
      await service.job('fetch-files')
    },
    files: async () =>
      (await service.get('/connections/depot-supply/files')).body.files.map(({ id, name, state, summary }: Json) => ({
        id,
        name,
        state,
        summary,
      })),
    offered: async () =>
      (await service.post('/catalog/search', { filters: { namespace: 'depot-supply' } })).body.products?.map(
        ({ title, variants }: Json) => [title, variants[0].price.amount],
      ),
  }
}

test('a mail whose sender is not proven waits for the owner; one that is proven is used; each once', async () => {
  const { service, imap, round, files, offered } = await start(mail(1, LIST))
  await round()
  const [waiting] = await files()
  expect(waiting).toMatchObject({ name: 'prices.csv', state: 'waiting' })
  expect(waiting.summary).toContain('mail of sales@depot.example. Nothing proves the sender')
  expect(imap.mails[0]?.seen).toBe(true)
  expect(await offered()).toBeUndefined()
  const path = `/connections/depot-supply/files/${waiting.id}`
  expect((await service.call('PUT', path, { body: { use: true } })).status).toBe(403)
  expect((await service.owner('PUT', path, { use: true })).status).toBe(200)
  expect(await offered()).toEqual([
    ['Coke', 100],
    ['Tea', 50],
  ])
  imap.mails.push(mail(2, LIST.replace('6.00', '9.00'), { headers: PROVEN }))
  await round()
  expect(await offered()).toContainEqual(['Tea', 75])
  expect((await files()).map(({ state }: Json) => state)).toEqual(['used', 'replaced'])
  // Sent again by anybody: an older list does not come back, also with a proof.
  imap.mails.push(mail(3, LIST, { headers: PROVEN }), mail(4, LIST.replace('6.00', '9.00')))
  await round()
  expect((await files()).map(({ state }: Json) => state)).toEqual(['used', 'replaced'])
  expect(await offered()).toContainEqual(['Tea', 75])
  // A price that moves more than three times waits, as in any other list.
  imap.mails.push(mail(5, LIST.replace('24.00', '2.40'), { headers: PROVEN }))
  await round()
  expect((await offered()).map(([title]: Json) => title)).not.toContain('Coke')
})

test('what cannot be used, and a mailbox that cannot be read, is named with the connection', async () => {
  const { service, imap, round, files, settings } = await start(
    mail(1, '', { attachments: [] }),
    mail(2, 'no list at all', { headers: PROVEN }),
    mail(3, LIST, { headers: PROVEN }),
  )
  await round()
  expect((await files()).map(({ state }: Json) => state)).toEqual(['used'])
  const connection = async () => (await service.get('/connections')).body.connections[0]
  const { refused_count: count, refused_rows: rows } = await connection()
  expect([count, rows]).toMatchObject([
    2,
    expect.arrayContaining([
      expect.objectContaining({
        source: 'files',
        id: 'Prices 1 (sales@depot.example)',
        problem: 'the mail has no attachment, and files are taken from attachments only',
      }),
      expect.objectContaining({ id: 'prices.csv (sales@depot.example)' }),
    ]),
  ])
  const events = async () =>
    (await service.get('/events?limit=100')).body.events.filter(({ summary }: Json) => /not used|fetched/.test(summary))
  expect(await events()).toHaveLength(2)
  imap.state.trouble = 'drop'
  await round()
  await round()
  expect((await connection()).refused_rows[0]).toMatchObject({
    id: 'fetch',
    problem: expect.stringContaining('broke off'),
  })
  expect(await events()).toHaveLength(3)
  imap.state.trouble = 'none'
  await round()
  expect((await connection()).refused_rows.map(({ id }: Json) => id)).not.toContain('fetch')
  // The password is in a file of its own, and nowhere else.
  const secrets = service.secrets()
  expect(secrets.map(([name, secret, mode]) => [name.split('.').slice(0, 3).join('.'), secret, mode])).toEqual([
    ['depot-supply.fetch.password', 'secret', 0o600],
  ])
  expect(await service.dump()).not.toContain('"secret"')
  const shown = await service.owner('GET', '/connections/depot-supply')
  expect(shown.body.secrets).toEqual(['fetch.password'])
  expect(shown.body.settings.fetch.password).toBeUndefined()
  const { password: _stays, ...others } = settings.fetch
  const wrong = { ...others, host: 'a b' }
  const refused = await service.owner('PUT', '/connections/depot-supply', { settings: { ...settings, fetch: wrong } })
  expect([refused.status, refused.body.messages[0].path]).toEqual([400, '$.settings.fetch.host'])
  const tested = await service.owner('POST', '/connections/depot-supply/test')
  expect(tested.body).toMatchObject({ ok: true, summary: expect.stringContaining('The mailbox can be read: 0 unseen') })
})

test('a zip bomb and a cell of 15 MB by mail are named and not used; the list after them is', async () => {
  const attached = (uid: number, name: string, bytes: Uint8Array) =>
    mail(uid, '', { headers: PROVEN, attachments: [{ name, bytes }] })
  const { service, round, files } = await start(
    attached(1, 'prices-1.xlsx', zipBomb()),
    attached(2, 'prices-2.csv', hugeCell(15)),
    attached(3, 'prices-3.csv', Buffer.from(LIST)),
  )
  let isDone = false
  const fetched = round().finally(() => (isDone = true))
  let answers = 0
  for (; !isDone; answers += 1) {
    expect((await service.get('//healthz')).status).toBe(200)
    await new Promise((done) => setTimeout(done, 5))
  }
  await fetched
  expect(answers).toBeGreaterThan(1)
  expect((await files()).map(({ name, state }: Json) => [name, state])).toEqual([['prices-3.csv', 'used']])
  const { refused_rows: rows } = (await service.get('/connections')).body.connections[0]
  expect(rows.map(({ id }: Json) => id).toSorted()).toEqual([
    'prices-1.xlsx (sales@depot.example)',
    'prices-2.csv (sales@depot.example)',
  ])
})
