/** The files of a folder on an SFTP server, whose host key the owner has confirmed. */
import { createHash } from 'node:crypto'
import { Client, type FileEntry, type SftpSession } from 'ssh2'
import { safeFileName } from '../../lib/safe-file-name.ts'
import { sanitizeText } from '../upstream/sanitize-text.ts'
import type { FetchTask, FetchedItem } from './fetch-messages.ts'
import { FetchProblem } from './problems.ts'
import { kindOfName } from './settings.ts'

/** A file that was changed a moment ago may still be being written. */
const QUIET_MS = 60_000
const UNFINISHED = /^\.|\.(?:tmp|part|filepart|crdownload)$|~$/i
const NO_SUCH_FILE = 2

interface Opened {
  /** Rejects once the connection ends: a read would wait for ever. */
  readonly closed: Promise<never>
  readonly client: Client
  readonly sftp: SftpSession
}

async function open({ settings, limits }: FetchTask): Promise<Opened> {
  const { host, port = 22, user, password, private_key: privateKey, host_key: confirmed } = settings
  const client = new Client()
  let shown: string | undefined
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  client.on('ready', () => resolve())
  client.on('error', (error) => reject(error))
  const closed = new Promise<never>((_resolve, fail) => {
    client.on('close', () => {
      reject(new Error('closed'))
      fail(new Error('closed'))
    })
  })
  closed.catch(() => {})
  client.connect({
    host,
    port,
    username: user,
    ...(privateKey === undefined ? { password } : { privateKey: withLines(privateKey) }),
    readyTimeout: limits.connectMs,
    keepaliveInterval: limits.connectMs,
    // Before anything secret is sent.
    hostVerifier: (key) => {
      shown = `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`
      return shown === confirmed
    },
  })
  try {
    await promise
    return { client, closed, sftp: await call<SftpSession>((done) => client.sftp(done)) }
  } catch (failure) {
    client.end()
    if (shown !== undefined && shown !== confirmed)
      throw new FetchProblem(
        confirmed === undefined
          ? `The host key of ${host} is ${shown}. Compare it with the one that the owner of the server tells you, then enter it as the host key`
          : `${host} shows another host key than the one you confirmed: ${shown}. Somebody may stand in between, so nothing was read`,
      )
    throw failure
  }
}

const call = <T>(work: (done: (error: Error | undefined | null, value: T) => void) => void): Promise<T> =>
  new Promise((resolve, reject) => work((error, value) => (error ? reject(error) : resolve(value))))

/** Fields of one line lose the line ends of a key. */
function withLines(key: string): string {
  const [, begin, body = '', end] = /^(-----BEGIN [A-Z ]+-----)([\s\S]*?)(-----END [A-Z ]+-----)\s*$/.exec(key) ?? []
  if (begin === undefined || end === undefined) throw new FetchProblem('The private key cannot be read')
  const lines = body.replaceAll(/\s+/g, '').match(/.{1,70}/g) ?? []
  return [begin, ...lines, end, ''].join('\n')
}

async function list({ sftp }: Opened, folder: string): Promise<readonly FileEntry[]> {
  try {
    return await call<readonly FileEntry[]>((done) => sftp.readdir(folder, done))
  } catch (failure) {
    if ((failure as { readonly code?: unknown }).code === NO_SUCH_FILE)
      throw new FetchProblem(`There is no folder "${folder}" on the server`)
    throw failure
  }
}

export async function testSftp(task: FetchTask): Promise<readonly string[]> {
  const { folder = '.', done_folder: doneFolder, files } = task.settings
  const opened = await open(task)
  try {
    const entries = await list(opened, folder)
    if (doneFolder !== undefined) await list(opened, doneFolder)
    const wanted = entries.filter(
      ({ attrs, filename }) => attrs.isFile() && typeof kindOfName(filename, files) === 'string',
    )
    return [`The folder can be read: ${wanted.length} file${wanted.length === 1 ? '' : 's'} with these names`]
  } finally {
    opened.client.end()
  }
}

export async function fetchSftp(
  task: FetchTask,
  begin: (key: string, label: string) => void,
  take: (item: FetchedItem) => Promise<void>,
): Promise<void> {
  const { settings, known, passed, limits, now } = task
  const { folder = '.', done_folder: doneFolder } = settings
  const opened = await open(task)
  try {
    const entries = (await list(opened, folder)).toSorted((a, b) => a.attrs.mtime - b.attrs.mtime)
    let handled = 0
    for (const { filename, attrs } of entries) {
      // Names of a server are no paths.
      if (!attrs.isFile() || /[/\\]/.test(filename) || UNFINISHED.test(filename)) continue
      const key = `file ${createHash('sha256').update(`${folder} ${filename} ${attrs.size} ${attrs.mtime}`).digest('hex')}`
      const path = `${folder.replace(/\/+$/, '')}/${filename}`
      if (known.has(key)) {
        await moveAway(opened, path, doneFolder, filename, key)
        continue
      }
      const kind = kindOfName(filename, settings.files)
      if (typeof kind !== 'string' || attrs.mtime * 1000 > now - QUIET_MS) continue
      if (passed.has(key)) continue
      if (handled >= limits.itemsPerRound) break
      handled += 1
      const name = safeFileName(filename)
      begin(key, name)
      const label = sanitizeText(name)
      const aside = (problem: string): FetchedItem => ({
        key,
        label,
        isProven: true,
        files: [],
        problems: [{ name: label, problem }],
      })
      if (attrs.size > limits.fileBytes)
        await take(aside(`it is larger than ${Math.round(limits.fileBytes / 1024 / 1024)} MB`))
      else if (attrs.size === 0) await take(aside('it is empty'))
      else {
        const bytes = await Promise.race([opened.closed, read(opened, path, limits.fileBytes)])
        // It was written meanwhile: the next round reads it.
        if (bytes.length !== attrs.size) continue
        const writtenAt = Math.min(attrs.mtime * 1000, now)
        await take({ key, label, isProven: true, files: [{ name, bytes, writtenAt }], problems: [] })
      }
      await moveAway(opened, path, doneFolder, filename, key)
    }
  } finally {
    opened.client.end()
  }
}

async function read({ sftp }: Opened, path: string, bytesMax: number): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of sftp.createReadStream(path)) {
    size += chunk.length
    if (size > bytesMax) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function moveAway(
  { sftp }: Opened,
  path: string,
  doneFolder: string | undefined,
  name: string,
  key: string,
): Promise<void> {
  if (doneFolder === undefined) return
  const target = `${doneFolder.replace(/\/+$/, '')}/${name}`
  try {
    await call<void>((done) => sftp.rename(path, target, done))
  } catch {
    // One of this name is already there.
    await call<void>((done) => sftp.rename(path, `${target}.${key.slice(-8)}`, done)).catch(() => {
      throw new FetchProblem(`Files cannot be moved to the folder "${doneFolder}"`)
    })
  }
}
