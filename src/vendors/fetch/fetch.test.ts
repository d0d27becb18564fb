/** The thread that fetches, against servers that misbehave. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DoubleMail, startImapServer } from '../../../test/support/imap-server.ts'
import { startSftpServer } from '../../../test/support/sftp-server.ts'
import { FETCH_LIMITS, fetchFiles, testFetch } from './fetch-aside.ts'
import type { FetchedItem } from './fetch-messages.ts'
import { mailboxOptions } from './mailbox.ts'
import { checkSender, readHeaders } from './sender-check.ts'
import { type FetchSettings, checkFetch, kindOfName } from './settings.ts'

const NOW = Date.UTC(2026, 8, 20)
const LIMITS = { ...FETCH_LIMITS, connectMs: 1500, itemMs: 4000, roundMs: 20_000, fileBytes: 1000, mailBytes: 5000 }
const bytes = (text: string) => Buffer.from(text)
const mail = (uid: number, name = 'prices.csv', text = `list ${uid}`): DoubleMail => ({
  uid,
  from: 'sales@depot.example',
  subject: `Mail ${uid}`,
  attachments: [{ name, bytes: bytes(text) }],
})

let imap: Awaited<ReturnType<typeof startImapServer>>
let sftp: Awaited<ReturnType<typeof startSftpServer>>
beforeAll(async () => {
  imap = await startImapServer([])
  sftp = await startSftpServer(new Map())
})
afterAll(async () => {
  await imap.close()
  await sftp.close()
})

const mailbox = (more: Partial<FetchSettings> = {}): FetchSettings => ({
  via: 'mailbox',
  host: '127.0.0.1',
  port: imap.port,
  user: 'buyer',
  password: 'secret',
  senders: ['sales@depot.example'],
  files: { price_list: ['prices*'], reply: ['*.edi'] },
  ...more,
})
const folder = (more: Partial<FetchSettings> = {}): FetchSettings => ({
  via: 'sftp',
  host: '127.0.0.1',
  port: sftp.port,
  user: 'buyer',
  password: 'secret',
  folder: '/out',
  host_key: sftp.hostKey,
  files: { price_list: ['prices*'] },
  ...more,
})

/** One round with what it stored. */
async function round(settings: FetchSettings, known: readonly string[] = [], fail?: string) {
  const items: FetchedItem[] = []
  const store = async (item: FetchedItem) => {
    if (item.label === fail) throw new Error('the database is away')
    items.push(item)
  }
  const outcome = await fetchFiles({ settings, known: new Set(known), now: NOW }, store, LIMITS).catch(
    (error: Error) => ({
      thrown: error.message,
    }),
  )
  return {
    outcome,
    items,
    files: items.flatMap(({ files }) => files.map((file) => `${file.name}: ${Buffer.from(file.bytes).toString()}`)),
    problems: items.flatMap(({ problems }) => problems.map(({ name, problem }) => `${name}: ${problem}`)),
  }
}

test('a poisoned mail is named with its reason, and the others are read and marked', async () => {
  const deep = `${'('.repeat(3000)}"TEXT" "PLAIN" NIL NIL NIL "7BIT" 5 1${' "MIXED")'.repeat(3000)}`
  imap.mails.splice(
    0,
    99,
    mail(1),
    { ...mail(2), attachments: [] },
    { ...mail(3), structure: deep },
    mail(4, 'prices-big.csv', 'x'.repeat(1100)),
    { ...mail(5), size: 9999 },
    mail(6, '../../etc/prices;rm.csv'),
    mail(7, 'holiday.jpg'),
    { ...mail(8), from: 'sales@depot.example,boss@depot.example' },
    { ...mail(9), from: 'xsales@depot.example.evil.example' },
    mail(10, 'ORDER.EDI', 'reply'),
  )
  const { outcome, files, problems, items } = await round(mailbox())
  expect(outcome).toEqual({ ok: true })
  expect(files).toEqual(['prices.csv: list 1', 'prices_rm.csv: list 6', 'ORDER.EDI: reply'])
  expect(problems).toEqual([
    'Mail 2: the mail has no attachment, and files are taken from attachments only',
    expect.stringMatching(/^(?:mail|Mail) 3: /),
    'prices-big.csv: it is larger than 0 MB',
    'Mail 5: the mail is larger than 0 MB',
    'Mail 7: none of its attachments has a name of files that are taken: holiday.jpg',
    'Mail 8: the mail names more than one sender',
  ])
  expect(items.every(({ isProven }) => !isProven)).toBe(true)
  // What was stored is marked; the one of a stranger is left alone.
  expect(imap.mails.filter(({ seen }) => !seen).map(({ uid }) => uid)).toEqual([9])
})

test('what could not be stored is neither marked nor lost, and what was stored is not read twice', async () => {
  imap.mails.splice(0, 99, mail(1), mail(2), mail(3))
  const first = await round(mailbox(), [], 'Mail 2')
  expect([first.outcome, first.files]).toEqual([{ thrown: 'the database is away' }, ['prices.csv: list 1']])
  expect(imap.mails.map(({ seen = false }) => seen)).toEqual([true, false, false])
  // Stored, and killed before it was marked.
  const key = first.items[0]?.key.replace(/1$/, '2') ?? ''
  imap.state.fetched.length = 0
  const second = await round(mailbox({ done_folder: 'Done' }), [key])
  expect([second.files, imap.state.fetched]).toEqual([['prices.csv: list 3'], [3]])
  expect(imap.mails.map(({ folder: place = 'INBOX' }) => place)).toEqual(['INBOX', 'Done', 'Done'])
})

test('a mail that stops the server, or the reader, is set aside, and the next ones are read', async () => {
  imap.mails.splice(0, 99, mail(1), mail(2), mail(3))
  imap.state.silentAt = 2
  const { outcome, files, problems } = await round(mailbox())
  imap.state.silentAt = 0
  expect([outcome, files]).toEqual([{ ok: true }, ['prices.csv: list 1', 'prices.csv: list 3']])
  expect(problems).toEqual([expect.stringMatching(/^mail 2: reading it takes too much time/)])
}, 20_000)

test.each([
  ['greeting', /cannot be read|does not answer/],
  ['drop', /broke off/],
  ['silent', /does not answer in time/],
  ['garbage', /broke off|does not answer/],
] as const)(
  'a server with the fault %s ends the round with a sentence and loses nothing',
  async (trouble, says) => {
    imap.mails.splice(0, 99, mail(1))
    imap.state.trouble = trouble
    const { outcome, files } = await round(mailbox())
    imap.state.trouble = 'none'
    expect([outcome, files, imap.mails[0]?.seen]).toEqual([
      { ok: false, problem: expect.stringMatching(says) },
      [],
      undefined,
    ])
  },
  30_000,
)

test('only a sender that the own mail server has checked is proven', async () => {
  const results = (value: string) => `Authentication-Results: ${value}\r\n`
  const good = 'mx.own.example; dkim=pass header.d=depot.example; spf=pass smtp.mailfrom=depot.example'
  imap.mails.splice(
    0,
    99,
    { ...mail(1), headers: results(good) },
    { ...mail(2), headers: results('mx.evil.example; dmarc=pass header.from=depot.example') },
    // Below the one of the own server, so it came with the mail.
    { ...mail(3), headers: results('mx.own.example; dmarc=fail header.from=depot.example') + results(good) },
    mail(4),
  )
  const { items } = await round(mailbox({ authenticated_by: 'mx.own.example' }))
  expect(items.map(({ isProven }) => isProven)).toEqual([true, false, false, false])
})

test.each([
  ['x.example; dmarc=pass (p=none dis=none) header.from=depot.example', true],
  ['x.example 1; dkim=pass header.i=@depot.example header.d=DEPOT.example', true],
  ['x.example; dkim=pass header.d=evil.example', false],
  ['x.example; spf=pass smtp.mailfrom=depot.example', false],
  ['x.example; spf=pass smtp.mailfrom="a;dmarc=pass header.from=depot.example"@evil.example', false],
  ['x.example; spf=pass (a;dmarc=pass header.from=depot.example)', false],
  ['x.example; dmarc=fail header.from=depot.example; dkim=none', false],
  ['x.example; dmarc=pass header.from=depot.example.evil.example', false],
  ['x.example; none', false],
])('Authentication-Results %s', (value, isProven) => {
  const headers = readHeaders(`Authentication-Results:\r\n ${value.replaceAll('; ', ';\r\n\t')}\r\nFrom: x\r\n`)
  expect(checkSender(headers, 'sales@depot.example')).toEqual({ server: 'x.example', isProven })
})

test('a folder is read once; files that are being written and names that are paths wait', async () => {
  const old = NOW / 1000 - 3600
  sftp.files.clear()
  sftp.files.set('/out/prices.csv', { bytes: bytes('list'), mtime: old })
  sftp.files.set('/out/prices-new.csv', { bytes: bytes('new'), mtime: NOW / 1000 - 5 })
  sftp.files.set('/out/prices.csv.part', { bytes: bytes('part'), mtime: old })
  sftp.files.set('/out/prices..\\x.csv', { bytes: bytes('path'), mtime: old })
  sftp.files.set('/out/prices-big.csv', { bytes: bytes('x'.repeat(1100)), mtime: old })
  const first = await round(folder())
  expect([first.outcome, first.files, first.problems]).toEqual([
    { ok: true },
    ['prices.csv: list'],
    ['prices-big.csv: it is larger than 0 MB'],
  ])
  expect(first.items.every(({ isProven }) => isProven)).toBe(true)
  sftp.state.reads.length = 0
  const keys = first.items.map(({ key }) => key)
  const second = await round(folder({ done_folder: '/done' }), keys)
  expect([second.items, sftp.state.reads]).toEqual([[], []])
  expect([...sftp.files.keys()].filter((path) => path.startsWith('/done'))).toEqual([
    '/done/prices.csv',
    '/done/prices-big.csv',
  ])
  // The same name again: both stay.
  sftp.files.set('/out/prices.csv', { bytes: bytes('list 2'), mtime: old + 60 })
  const third = await round(folder({ done_folder: '/done' }), keys)
  expect(third.files).toEqual(['prices.csv: list 2'])
  expect([...sftp.files.keys()].filter((path) => path.startsWith('/done/prices.csv'))).toHaveLength(2)
  sftp.files.set('/out/prices.csv', { bytes: bytes('list 3'), mtime: old + 120 })
  sftp.state.dropOnRead = true
  const dropped = await round(folder())
  sftp.state.dropOnRead = false
  // Where nothing at all can be read, no file is to blame.
  expect([dropped.outcome, dropped.items]).toEqual([{ ok: false, problem: expect.stringContaining('broke off') }, []])
  expect((await round(folder())).files).toEqual(['prices.csv: list 3'])
})

test('the test read says in a sentence what is wrong, and shows the host key before a password is sent', async () => {
  imap.mails.splice(0, 99, mail(1))
  const says = async (settings: FetchSettings) => {
    const tested = await testFetch(settings, NOW, LIMITS)
    return tested.ok ? tested.says.join('; ') : tested.problem
  }
  expect(await says(mailbox())).toMatch(/^The mailbox can be read: 1 unseen mail of these senders; Nothing proves/)
  expect(imap.mails[0]?.seen).toBeUndefined()
  expect(await says(mailbox({ password: 'wrong' }))).toBe('127.0.0.1 refuses the user, the password or the key')
  expect(await says(mailbox({ folder: 'Nowhere' }))).toBe('There is no folder "Nowhere" in the mailbox')
  expect(await says(mailbox({ host: 'no-such-host.invalid' }))).toBe('The host no-such-host.invalid is not known')
  expect(await says(mailbox({ port: 1 }))).toBe('127.0.0.1 refuses connections at this port')
  const logins = sftp.state.logins
  const { host_key: _none, ...unknown } = folder()
  expect(await says(unknown)).toBe(
    `The host key of 127.0.0.1 is ${sftp.hostKey}. Compare it with the one that the owner of the server tells you, then enter it as the host key`,
  )
  expect(await says(folder({ host_key: `SHA256:${'A'.repeat(43)}` }))).toContain('shows another host key')
  expect(sftp.state.logins).toBe(logins)
  expect(await says(folder({ password: 'wrong' }))).toBe('127.0.0.1 refuses the user, the password or the key')
  expect(await says(folder({ folder: '/nowhere' }))).toBe('There is no folder "/nowhere" on the server')
  expect(await says(folder())).toMatch(/^The folder can be read: \d files? with these names$/)
}, 40_000)

test('nothing is read without encryption but from this host', () => {
  const of = (host: string, port = 993) => {
    const { secure, doSTARTTLS } = { doSTARTTLS: undefined, ...mailboxOptions({ ...mailbox(), host, port }, 1) }
    return [secure, doSTARTTLS]
  }
  expect([
    of('imap.example.com'),
    of('imap.example.com', 143),
    of('127.0.0.1', 143),
    of('localhost.evil.com', 1),
  ]).toEqual([
    [true, undefined],
    [false, true],
    [false, false],
    [false, true],
  ])
})

test('a name decides which file it is, or nobody guesses', () => {
  const files = { price_list: ['prices*.csv', 'a*b*c'], reply: ['*.edi', 'prices-reply*'] }
  const of = (name: string) => {
    const kind = kindOfName(name, files)
    return typeof kind === 'string' ? kind : 'none'
  }
  expect(['PRICES 9.CSV', 'prices.csv.exe', 'x.edi', 'prices-reply.csv', 'abc', 'axbxc', 'ab', 'acb'].map(of)).toEqual([
    'price_list',
    'none',
    'reply',
    'none',
    'price_list',
    'price_list',
    'none',
    'none',
  ])
})

test.each([
  [{ senders: undefined }, 'fetch.senders is missing'],
  [{ password: undefined }, 'fetch.password is missing'],
  [{ files: {} }, 'fetch.files must say which files are taken'],
  [{ files: { dex: ['*'] } }, 'fetch.files.dex is no file of this connection'],
  [{ files: { reply: ['../*'] } }, 'fetch.files.reply.0 must be a name such as prices*.xlsx'],
  [{ host: 'a b' }, 'fetch.host must be the name of a host'],
  [{ host_key: `SHA256:${'A'.repeat(43)}` }, 'fetch.private_key and fetch.host_key are for SFTP only'],
] as const)('settings %j are refused', (more, problem) => {
  const given = Object.fromEntries(Object.entries({ ...mailbox(), ...more }).filter(([, value]) => value !== undefined))
  expect(checkFetch(given, ['price_list', 'reply']).problems).toContain(problem)
})
