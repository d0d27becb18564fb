/** One message over SMTP, for orders and for notifications: the password is sent over TLS only, and one deadline covers it all. */
import { isIP } from 'node:net'
import type { Readable } from 'node:stream'
import SMTPConnection from 'nodemailer/lib/smtp-connection'

export interface MailServer {
  readonly host: string
  readonly port: number | undefined
  readonly isSecure: boolean
  readonly user: string | undefined
  readonly pass: string | undefined
}

/** Of an smtp or smtps URL with the credentials. */
export function parseServer(url: string): MailServer {
  const { protocol, hostname, port, username, password } = new URL(url)
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? undefined : Number(port),
    isSecure: protocol === 'smtps:',
    user: username === '' ? undefined : decodeURIComponent(username),
    pass: password === '' ? undefined : decodeURIComponent(password),
  }
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/** The connection adds `rejected`. */
export interface MailEnvelope {
  readonly from: string
  readonly to: string[]
  readonly size: number
  readonly rejected?: readonly string[]
}

export interface MailExchange {
  readonly server: MailServer
  readonly from: string
  readonly to: readonly string[]
  readonly bytes: number
  /** Read once the server is ready for it (354). */
  readonly text: Buffer | Readable
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** Called before the envelope is sent; when the text is read, it has the recipients that the server refused. */
  readonly onEnvelope?: (envelope: MailEnvelope) => void
  /** Called before the connection is closed because of a failure. */
  readonly onFailure?: () => void
}

/** Returns the recipients that the server refused; throws the failure of the server or of the connection. */
export async function exchangeMail(exchange: MailExchange): Promise<readonly string[]> {
  const { server, from, to, bytes, text, timeoutMs, signal, onFailure } = exchange
  const connection = new SMTPConnection({
    host: server.host,
    ...(server.port !== undefined && { port: server.port }),
    secure: server.isSecure,
    // A password must not cross a network in the clear.
    requireTLS: !server.isSecure && server.user !== undefined && !isLoopback(server.host),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
  })
  const broken = Promise.withResolvers<never>()
  const stop = () => broken.reject(new Error('The service is stopping'))
  // For the whole exchange: a server that answers every line late would never exceed a limit per line.
  const deadline = setTimeout(() => broken.reject(new Error('time-out')), timeoutMs)
  signal?.addEventListener('abort', stop)
  // Errors before a message is being sent come as events, with or without a callback that waits.
  connection.on('error', broken.reject)
  broken.promise.catch(() => {})
  if (signal?.aborted) stop()
  const awaitStep = <T>(
    step: (done: (error: Error | null | undefined, value?: T) => void) => void,
  ): Promise<T | undefined> =>
    Promise.race([
      new Promise<T | undefined>((resolve, reject) => {
        step((error, value) => (error ? reject(error) : resolve(value)))
      }),
      broken.promise,
    ])

  try {
    await awaitStep((done) => connection.connect(done))
    if (server.user !== undefined)
      await awaitStep((done) => connection.login({ user: server.user, pass: server.pass ?? '' }, done))
    const envelope: MailEnvelope = { from, to: [...to], size: bytes }
    exchange.onEnvelope?.(envelope)
    const sent = await awaitStep<{ readonly rejected: readonly string[] }>((done) =>
      connection.send(envelope, text, done),
    )
    connection.quit()
    return sent?.rejected ?? []
  } catch (error) {
    onFailure?.()
    connection.close()
    throw error
  } finally {
    clearTimeout(deadline)
    signal?.removeEventListener('abort', stop)
  }
}
