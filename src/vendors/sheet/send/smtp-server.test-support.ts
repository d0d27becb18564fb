/**
 * A strict mail server for tests. It holds the client to the order of the commands and to CRLF, and can fail at every step:
 * with a reply, by closing the connection, or by not answering at all.
 */
import { type AddressInfo, type Socket, createServer } from 'node:net'
import { onTestFinished } from 'vitest'

export type SmtpStep = 'greeting' | 'ehlo' | 'auth' | 'mail' | 'rcpt' | 'data' | 'text' | 'end'

export interface SmtpTrouble {
  readonly at: SmtpStep
  /** A code such as 550, or what happens to the connection. */
  readonly how: number | 'close' | 'silence'
  /** Only for this recipient. */
  readonly recipient?: string
}

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly text: string
}

export interface SmtpServer {
  readonly port: number
  readonly url: string
  /** What a mailbox has: also messages whose confirmation was lost. */
  readonly mails: ReceivedMail[]
  /** Messages of which at least one byte of text arrived. */
  textsBegun: number
  /** How often a password arrived. */
  logins: number
  /** Lines that the protocol does not allow. */
  readonly faults: string[]
  trouble: SmtpTrouble | undefined
  /** As soon as a message is in the mailbox. */
  onMail: (mail: ReceivedMail) => void
  close(): Promise<void>
}

const USER = 'orders'
const PASSWORD = 's3cret-pass'

export async function startSmtp(): Promise<SmtpServer> {
  const sockets = new Set<Socket>()
  const state: Omit<SmtpServer, 'port' | 'url' | 'close'> = {
    mails: [],
    textsBegun: 0,
    logins: 0,
    faults: [],
    trouble: undefined,
    onMail: () => {},
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    converse(socket, state)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      for (const socket of sockets) socket.destroy()
      server.close(() => resolve())
    })
  onTestFinished(close)
  return Object.assign(state, { port, url: `smtp://${USER}:${PASSWORD}@127.0.0.1:${port}`, close })
}

function converse(socket: Socket, state: Omit<SmtpServer, 'port' | 'url' | 'close'>): void {
  let pending = ''
  let isReadingText = false
  let hasText = false
  let isSilent = false
  let from: string | undefined
  let to: string[] = []
  const say = (line: string) => void socket.write(`${line}\r\n`)

  /** Whether the step goes wrong, and has been answered so. */
  const fails = (step: SmtpStep, recipient?: string): boolean => {
    const { trouble } = state
    if (trouble?.at !== step || (trouble.recipient !== undefined && trouble.recipient !== recipient)) return false
    if (trouble.how === 'close') socket.destroy()
    else if (trouble.how === 'silence') isSilent = true
    else say(`${trouble.how} no luck at ${step}`)
    return true
  }

  const commands: Readonly<Record<string, (rest: string) => void>> = {
    EHLO: () => {
      if (fails('ehlo')) return
      say('250-mail.example')
      say('250-SIZE 1000000')
      say('250 AUTH PLAIN')
    },
    AUTH: (rest) => {
      state.logins += 1
      if (fails('auth')) return
      const [, user, password] = Buffer.from(rest.replace(/^PLAIN /, ''), 'base64')
        .toString()
        .split('\0')
      say(user === USER && password === PASSWORD ? '235 ok' : '535 wrong credentials')
    },
    MAIL: (rest) => {
      if (fails('mail')) return
      from = /^FROM:<([^>]*)>/.exec(rest)?.[1]
      to = []
      say(from === undefined ? '501 syntax' : '250 ok')
    },
    RCPT: (rest) => {
      const recipient = /^TO:<([^>]*)>/.exec(rest)?.[1] ?? ''
      if (from === undefined) return say('503 bad sequence')
      if (fails('rcpt', recipient)) return
      to.push(recipient)
      say('250 ok')
    },
    DATA: () => {
      if (to.length === 0) return say('503 bad sequence')
      if (fails('data')) return
      isReadingText = true
      hasText = false
      say('354 go ahead')
    },
    RSET: () => say('250 ok'),
    QUIT: () => {
      say('221 bye')
      socket.end()
    },
  }

  const finishText = (raw: string) => {
    isReadingText = false
    const text = raw.replaceAll(/^\.\./gm, '.')
    const { trouble } = state
    const isRefused = trouble?.at === 'end' && typeof trouble.how === 'number'
    // A server that goes away after the last line may have put the message into the mailbox.
    if (!isRefused) {
      const mail = { from: from ?? '', to, text }
      state.mails.push(mail)
      state.onMail(mail)
    }
    if (!fails('end')) say('250 queued')
  }

  socket.on('data', (chunk) => {
    if (isSilent) return
    pending += chunk.toString('latin1')
    if (/[^\r]\n/.test(pending)) state.faults.push('a line ends without CR')
    for (;;) {
      if (isReadingText) {
        if (pending !== '' && !hasText) {
          hasText = true
          state.textsBegun += 1
        }
        if (pending !== '' && fails('text')) return
        const end = pending.indexOf('\r\n.\r\n')
        if (end < 0) return
        const raw = pending.slice(0, end + 2)
        pending = pending.slice(end + 5)
        finishText(raw)
        continue
      }
      const end = pending.indexOf('\r\n')
      if (end < 0 || isSilent) return
      const line = pending.slice(0, end)
      pending = pending.slice(end + 2)
      const [verb = ''] = line.split(' ', 1)
      const command = commands[verb.toUpperCase()]
      if (!command) state.faults.push(`unknown command ${verb}`)
      if (command) command(line.slice(verb.length + 1))
      else say('500 unknown')
    }
  })
  if (!fails('greeting')) say('220 mail.example ESMTP')
}
