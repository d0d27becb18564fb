/** A double of an IMAP server for one mailbox, on loopback without TLS. It misbehaves on demand. */
import { type AddressInfo, type Socket, createServer } from 'node:net'

export interface DoubleMail {
  readonly uid: number
  readonly from: string
  readonly subject: string
  /** Header lines that come before the others. */
  readonly headers?: string
  /** In place of the structure that follows from the attachments. */
  readonly structure?: string
  /** In place of the size that follows from the attachments. */
  readonly size?: number
  readonly attachments: readonly { readonly name: string; readonly bytes: Uint8Array }[]
  seen?: boolean
  folder?: string
}

type Trouble = 'none' | 'greeting' | 'drop' | 'silent' | 'garbage'

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`

export async function startImapServer(mails: DoubleMail[], password = 'secret') {
  const state = {
    trouble: 'none' as Trouble,
    /** The connection ends when this mail is fetched. */
    dropAt: 0,
    /** Nothing is answered about this mail. */
    silentAt: 0,
    folders: ['INBOX', 'Done'],
    logins: 0,
    fetched: [] as number[],
  }
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    if (state.trouble === 'silent') return
    socket.write(state.trouble === 'greeting' ? 'HTTP/1.1 400 Bad Request\r\n\r\n' : '* OK double ready\r\n')
    let pending = ''
    socket.on('data', (data) => {
      pending += data.toString('latin1')
      for (let end = pending.indexOf('\r\n'); end !== -1; end = pending.indexOf('\r\n')) {
        const line = pending.slice(0, end)
        pending = pending.slice(end + 2)
        answer(socket, line)
      }
    })
  })

  const inBox = (): DoubleMail[] => mails.filter(({ folder = 'INBOX' }) => folder === 'INBOX')

  function answer(socket: Socket, line: string): void {
    const [tag = '', name = '', ...rest] = line.split(' ')
    const command = name.toUpperCase() === 'UID' ? `UID ${rest.shift()?.toUpperCase()}` : name.toUpperCase()
    const args = rest.join(' ')
    const say = (...lines: readonly string[]) => socket.write(`${lines.join('\r\n')}\r\n`, 'latin1')
    const ok = (...lines: readonly string[]) => say(...lines, `${tag} OK done`)
    if (state.trouble === 'drop' && command === 'UID SEARCH') return void socket.destroy()
    if (state.trouble === 'garbage' && command === 'UID SEARCH')
      return void say('* ((((((SEARCH {99999999999999}', '\0\0')
    switch (command) {
      case 'CAPABILITY':
        return void ok('* CAPABILITY IMAP4rev1 MOVE')
      case 'LOGIN':
        state.logins += 1
        return args.includes(quoted(password)) || args.endsWith(` ${password}`)
          ? void ok()
          : void say(`${tag} NO [AUTHENTICATIONFAILED] no`)
      case 'LIST':
      case 'LSUB':
        return args.endsWith('""') && !args.endsWith('"*"')
          ? void ok(String.raw`* LIST (\Noselect) "/" ""`)
          : void ok(...state.folders.map((folder) => `* ${command} () "/" ${quoted(folder)}`))
      case 'SELECT':
      case 'EXAMINE': {
        const folder = args.replaceAll('"', '').split(' ')[0] ?? ''
        if (!state.folders.includes(folder)) return void say(`${tag} NO there is no such folder`)
        return void ok(
          String.raw`* FLAGS (\Seen \Deleted)`,
          String.raw`* OK [PERMANENTFLAGS (\Seen \Deleted \*)] ok`,
          `* ${inBox().length} EXISTS`,
          '* 0 RECENT',
          '* OK [UIDVALIDITY 7] ok',
          '* OK [UIDNEXT 100000] ok',
        )
      }
      case 'UID SEARCH': {
        const from = (/FROM "?([^" ]+)"?/i.exec(args)?.[1] ?? '').toLowerCase()
        const found = inBox().filter((mail) => !mail.seen && mail.from.toLowerCase().includes(from))
        return void ok(`* SEARCH ${found.map(({ uid }) => uid).join(' ')}`.trimEnd())
      }
      case 'UID FETCH':
        return fetch(socket, tag, args)
      case 'UID STORE': {
        const mail = mails.find(({ uid }) => uid === Number.parseInt(args, 10))
        if (mail) mail.seen = true
        return void ok()
      }
      case 'UID MOVE': {
        const [uid = '', folder = ''] = args.replaceAll('"', '').split(' ')
        const mail = mails.find((each) => each.uid === Number(uid))
        if (!mail || !state.folders.includes(folder)) return void say(`${tag} NO [TRYCREATE] no such folder`)
        mail.folder = folder
        return void ok()
      }
      case 'LOGOUT':
        ok('* BYE')
        return void socket.end()
      default:
        return void ok()
    }
  }

  function fetch(socket: Socket, tag: string, args: string): void {
    const uid = Number.parseInt(args, 10)
    const index = inBox().findIndex((mail) => mail.uid === uid)
    const mail = inBox()[index]
    if (!mail) return void socket.write(`${tag} OK done\r\n`)
    if (uid === state.dropAt) return void socket.destroy()
    if (uid === state.silentAt) return
    const parts = [`UID ${uid}`]
    if (args.includes('RFC822.SIZE'))
      parts.push(
        `RFC822.SIZE ${mail.size ?? mail.attachments.reduce((sum, { bytes }) => sum + bytes.length * 1.4, 500) | 0}`,
      )
    if (args.includes('INTERNALDATE')) parts.push('INTERNALDATE "17-Sep-2026 10:00:00 +0000"')
    if (args.includes('ENVELOPE')) {
      const addresses = mail.from.split(',').map((address) => {
        const [box = '', host = ''] = address.split('@')
        return `(NIL NIL ${quoted(box)} ${quoted(host)})`
      })
      const list = `(${addresses.join('')})`
      parts.push(
        `ENVELOPE ("Thu, 17 Sep 2026 10:00:00 +0000" ${quoted(mail.subject)} ${list} ${list} ${list} NIL NIL NIL NIL "<${uid}@x>")`,
      )
    }
    if (args.includes('BODYSTRUCTURE')) parts.push(`BODYSTRUCTURE ${mail.structure ?? structureOf(mail)}`)
    const literals: Buffer[] = []
    for (const [, key = ''] of args.matchAll(/BODY\.PEEK\[([^\]]+)\]/gi)) {
      const isHeader = key.toUpperCase().startsWith('HEADER')
      const content = isHeader
        ? Buffer.from(`${mail.headers ?? ''}From: <${mail.from}>\r\n\r\n`)
        : Buffer.from(
            Buffer.from(mail.attachments[Number(key) - 2]?.bytes ?? [])
              .toString('base64')
              .replaceAll(/.{1,76}/g, '$&\r\n'),
          )
      if (!isHeader) state.fetched.push(uid)
      literals.push(Buffer.from(` BODY[${key}] {${content.length}}\r\n`), content)
    }
    socket.write(
      Buffer.concat([
        Buffer.from(`* ${index + 1} FETCH (${parts.join(' ')}`, 'latin1'),
        ...literals,
        Buffer.from(`)\r\n${tag} OK done\r\n`),
      ]),
    )
  }

  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  return {
    state,
    mails,
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((done) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => done())
      }),
  }
}

/** A text part, then the attachments. */
function structureOf({ attachments }: DoubleMail): string {
  const text = '("TEXT" "PLAIN" ("CHARSET" "utf-8") NIL NIL "7BIT" 5 1 NIL NIL NIL NIL)'
  if (attachments.length === 0) return '("TEXT" "HTML" ("CHARSET" "utf-8") NIL NIL "7BIT" 500 10 NIL NIL NIL NIL)'
  const files = attachments.map(
    ({ name, bytes }) =>
      `("APPLICATION" "OCTET-STREAM" ("NAME" ${quoted(name)}) NIL NIL "BASE64" ${Math.ceil(bytes.length * 1.37)} NIL ("ATTACHMENT" ("FILENAME" ${quoted(name)})) NIL NIL)`,
  )
  return `(${text}${files.join('')} "MIXED" ("BOUNDARY" "x") NIL NIL NIL)`
}
