/**
 * Unseen mails of the senders that are named, with their attachments. The server takes a mail apart (BODYSTRUCTURE), so only the
 * attachments that are wanted are read. A mail is marked as seen, or moved, after the service has stored what was in it.
 */
import { ImapFlow, type MessagePart } from 'imapflow'
import { safeFileName } from '../../lib/safe-file-name.ts'
import { firstCharacters, sanitizeText } from '../upstream/sanitize-text.ts'
import type { FetchTask, FetchedItem } from './fetch-messages.ts'
import { FetchProblem } from './problems.ts'
import { checkSender, readHeaders } from './sender-check.ts'
import { type FetchSettings, isLoopback, kindOfName } from './settings.ts'

const TLS_PORT = 993
const DEPTH_MAX = 20
const PARTS_MAX = 200
const LABEL_MAX = 120

/** Encrypted from the first byte, or before the password is sent; only this host itself needs no encryption. */
export function mailboxOptions({ host, port = TLS_PORT, user, password = '' }: FetchSettings, connectMs: number) {
  const isOwnHost = isLoopback(host)
  return {
    host,
    port,
    secure: port === TLS_PORT,
    ...(port !== TLS_PORT && !isOwnHost && { doSTARTTLS: true }),
    ...(port !== TLS_PORT && isOwnHost && { doSTARTTLS: false }),
    auth: { user, pass: password },
    logger: false as const,
    disableAutoIdle: true,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: connectMs * 2,
  }
}

async function open({ settings, limits }: FetchTask): Promise<ImapFlow> {
  const client = new ImapFlow(mailboxOptions(settings, limits.connectMs))
  // What fails is told by the call that waits for it.
  client.on('error', () => {})
  await client.connect()
  const folder = settings.folder ?? 'INBOX'
  try {
    await client.mailboxOpen(folder)
  } catch (failure) {
    if (!client.usable) throw failure
    throw new FetchProblem(`There is no folder "${folder}" in the mailbox`)
  }
  return client
}

/** Servers compare parts of an address; whose it really is shows each mail. */
async function search(client: ImapFlow, { senders = [] }: FetchSettings): Promise<readonly number[]> {
  const found = new Set<number>()
  for (const from of senders) {
    const uids = await client.search({ seen: false, from }, { uid: true })
    if (!uids) throw new Error('no answer to a search')
    for (const uid of uids) found.add(uid)
  }
  return [...found].toSorted((a, b) => a - b)
}

export async function testMailbox(task: FetchTask): Promise<readonly string[]> {
  const { settings } = task
  const client = await open(task)
  try {
    const uids = await search(client, settings)
    if (settings.done_folder !== undefined && !(await client.list()).some(({ path }) => path === settings.done_folder))
      throw new FetchProblem(`There is no folder "${settings.done_folder}" in the mailbox to move mails to`)
    const found = `The mailbox can be read: ${uids.length} unseen mail${uids.length === 1 ? '' : 's'} of these senders`
    const last = uids.at(-1)
    const mail = last === undefined ? undefined : await look(client, last)
    const checked = mail && checkSender(readHeaders(mail.headers), mail.from ?? '')
    if (settings.authenticated_by !== undefined || last === undefined) return [found]
    return [
      found,
      checked?.isProven
        ? `Your mail server ${checked.server} has checked the sender of the newest one. With this name in "authenticated_by" files of checked senders are used without asking`
        : 'Nothing proves the sender of the newest one. Its files would wait for your word',
    ]
  } finally {
    client.close()
  }
}

/** One mail after the other: `take` answers once it is stored. */
export async function fetchMailbox(
  task: FetchTask,
  begin: (key: string, label: string) => void,
  take: (item: FetchedItem) => Promise<void>,
): Promise<void> {
  const { settings, known, passed, limits } = task
  const client = await open(task)
  try {
    const validity = String((client.mailbox || undefined)?.uidValidity ?? '')
    let handled = 0
    for (const uid of await search(client, settings)) {
      const key = `mail ${settings.folder ?? 'INBOX'} ${validity} ${uid}`
      if (known.has(key)) {
        await markRead(client, uid, settings)
        continue
      }
      if (passed.has(key)) continue
      if (handled >= limits.itemsPerRound) break
      begin(key, `mail ${uid}`)
      const item = await readMail(client, uid, key, task)
      // Of somebody else, whose address only contains the one that is named.
      if (!item) continue
      handled += 1
      await take(item)
      await markRead(client, uid, settings)
    }
    await client.logout().catch(() => {})
  } finally {
    client.close()
  }
}

async function markRead(client: ImapFlow, uid: number, { done_folder: folder }: FetchSettings): Promise<void> {
  await client.messageFlagsAdd(String(uid), [String.raw`\Seen`], { uid: true })
  if (folder === undefined) return
  const moved = await client.messageMove(String(uid), folder, { uid: true })
  if (!moved) throw new FetchProblem(`Mails cannot be moved to the folder "${folder}"`)
}

async function look(client: ImapFlow, uid: number) {
  const mail = await client.fetchOne(
    String(uid),
    {
      envelope: true,
      size: true,
      internalDate: true,
      bodyStructure: true,
      headers: ['from', 'authentication-results'],
    },
    { uid: true },
  )
  if (!mail && !client.usable) throw new Error('no answer to a fetch')
  if (!mail) return undefined
  const { envelope, size = 0, internalDate, bodyStructure, headers } = mail
  const addresses = (envelope?.from ?? []).map(({ address }) => (address ?? '').toLowerCase())
  return {
    from: addresses.length === 1 ? addresses[0] : undefined,
    addresses,
    subject: firstCharacters(sanitizeText(envelope?.subject ?? ''), LABEL_MAX),
    size,
    sentAt: internalDate instanceof Date ? internalDate.getTime() : undefined,
    structure: bodyStructure,
    headers: headers?.toString('latin1') ?? '',
  }
}

async function readMail(
  client: ImapFlow,
  uid: number,
  key: string,
  { settings, limits, now }: FetchTask,
): Promise<FetchedItem | undefined> {
  const mail = await look(client, uid)
  if (!mail) return unreadable(key, uid)
  const senders = new Set((settings.senders ?? []).map((sender) => sender.toLowerCase()))
  if (!mail.addresses.some((address) => senders.has(address))) return undefined
  const headers = readHeaders(mail.headers)
  const label = mail.subject || '(no subject)'
  const { from } = mail
  const aside = (problem: string): FetchedItem => ({
    key,
    label,
    ...(mail.addresses[0] !== undefined && { sender: mail.addresses[0] }),
    isProven: false,
    files: [],
    problems: [{ name: label, problem }],
  })
  if (from === undefined || headers.filter(([name]) => name === 'from').length > 1)
    return aside('the mail names more than one sender')
  if (mail.size > limits.mailBytes) return aside(`the mail is larger than ${megabytes(limits.mailBytes)} MB`)
  const checked = checkSender(headers, from)
  const isProven = checked?.isProven === true && checked.server === settings.authenticated_by?.toLowerCase()
  const attachments = mail.structure ? listAttachments(mail.structure) : []
  if (attachments === 'too many') return aside('the mail has too many parts, or they are nested too deep')
  if (attachments.length === 0) return aside('the mail has no attachment, and files are taken from attachments only')
  const wanted = attachments.filter(({ name }) => typeof kindOfName(name, settings.files) === 'string')
  if (wanted.length === 0) {
    const names = attachments.map(({ name }) => name).slice(0, 5)
    return aside(`none of its attachments has a name of files that are taken: ${names.join(', ')}`)
  }
  if (wanted.length > limits.filesPerMail) return aside(`the mail has more than ${limits.filesPerMail} files`)
  const files: FetchedItem['files'][number][] = []
  const problems: FetchedItem['problems'][number][] = []
  for (const { name, part, size, encoding } of wanted) {
    const tooLarge = { name, problem: `it is larger than ${megabytes(limits.fileBytes)} MB` }
    // As it is sent, a file takes a third more.
    if (size > limits.fileBytes * 1.5) {
      problems.push(tooLarge)
      continue
    }
    const fetched = await client.fetchOne(String(uid), { bodyParts: [part] }, { uid: true })
    const raw = fetched ? fetched.bodyParts?.get(part) : undefined
    if (!raw && !client.usable) throw new Error('no answer to a fetch')
    const bytes = raw && decodePart(raw, encoding)
    if (!bytes) problems.push({ name, problem: `it is encoded in a way that is not known (${sanitizeText(encoding)})` })
    else if (bytes.length === 0) problems.push({ name, problem: 'it is empty' })
    else if (bytes.length > limits.fileBytes) problems.push(tooLarge)
    else files.push({ name, bytes, writtenAt: Math.min(mail.sentAt ?? now, now) })
  }
  return { key, label, sender: from, isProven, files, problems }
}

const unreadable = (key: string, uid: number): FetchedItem => ({
  key,
  label: `mail ${uid}`,
  isProven: false,
  files: [],
  problems: [{ name: `mail ${uid}`, problem: 'the mail server does not show it, or its parts cannot be read' }],
})

const megabytes = (bytes: number): number => Math.round(bytes / 1024 / 1024)

interface Attachment {
  readonly name: string
  readonly part: string
  readonly size: number
  readonly encoding: string
}

/** Mails inside of the mail are not opened: whose they are nobody has checked. */
function listAttachments(root: MessagePart): readonly Attachment[] | 'too many' {
  const found: Attachment[] = []
  let nodes: readonly MessagePart[] = [root]
  let parts = 0
  for (let depth = 0; nodes.length > 0; depth += 1) {
    parts += nodes.length
    if (depth > DEPTH_MAX || parts > PARTS_MAX) return 'too many'
    for (const { type = '', part = '1', size = 0, encoding = '7bit', childNodes, ...node } of nodes) {
      const name = node.dispositionParameters?.['filename'] ?? node.parameters?.['name']
      if (name !== undefined && name !== '' && (!childNodes || type === 'message/rfc822'))
        found.push({ name: safeFileName(name), part, size, encoding: encoding.toLowerCase() })
    }
    nodes = nodes.flatMap(({ type, childNodes = [] }) => (type === 'message/rfc822' ? [] : childNodes))
  }
  return found
}

/** The bytes of the file; the text of a list is decoded as the connection says, not as the mail does. */
function decodePart(raw: Buffer, encoding: string): Uint8Array | undefined {
  if (encoding === 'base64') return Buffer.from(raw.toString('latin1'), 'base64')
  if (encoding === 'quoted-printable')
    return Buffer.from(
      raw
        .toString('latin1')
        .replaceAll(/[ \t]+(?=\r?\n)/g, '')
        .replaceAll(/=\r?\n/g, '')
        .replaceAll(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
      'latin1',
    )
  return ['7bit', '8bit', 'binary', ''].includes(encoding) ? raw : undefined
}
