/** A double of an SFTP server with one account, its files in memory. */
import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import ssh2 from 'ssh2'

const { STATUS_CODE } = ssh2.utils.sftp

export interface DoubleFile {
  readonly bytes: Uint8Array
  /** Seconds. */
  readonly mtime: number
}

// eslint-disable-next-line typescript/no-explicit-any -- the server side of the library has no types
type Any = any

/** `files`: by path. */
export async function startSftpServer(files: Map<string, DoubleFile>, password = 'secret') {
  const key = ssh2.utils.generateKeyPairSync('ed25519')
  const hostKey = createHash('sha256').update(ssh2.utils.parseKey(key.private).getPublicSSH()).digest('base64')
  const state = { folders: ['/out', '/done'], reads: [] as string[], dropOnRead: false, logins: 0 }
  const clients = new Set<Any>()
  const server = new ssh2.Server({ hostKeys: [key.private] }, (client: Any) => {
    clients.add(client)
    client.on('error', () => {})
    client.on('close', () => clients.delete(client))
    client.on('authentication', (attempt: Any) => {
      if (attempt.method !== 'password') return attempt.reject(['password'])
      state.logins += 1
      return attempt.password === password ? attempt.accept() : attempt.reject(['password'])
    })
    client.on('ready', () =>
      client.on('session', (accept: Any) => accept().on('sftp', (open: Any) => serve(open(), client))),
    )
  })

  function serve(sftp: Any, client: Any): void {
    const handles = new Map<number, { path: string; isListed?: boolean }>()
    let last = 0
    const handle = (path: string): Buffer => {
      handles.set(++last, { path })
      const buffer = Buffer.alloc(4)
      buffer.writeUInt32BE(last)
      return buffer
    }
    const held = (buffer: Buffer) => handles.get(buffer.readUInt32BE(0))
    const attrsOf = ({ bytes, mtime }: DoubleFile) => ({
      mode: 0o100644,
      uid: 0,
      gid: 0,
      size: bytes.length,
      atime: mtime,
      mtime,
    })
    sftp.on('OPENDIR', (id: number, path: string) =>
      state.folders.includes(path) ? sftp.handle(id, handle(path)) : sftp.status(id, STATUS_CODE['NO_SUCH_FILE']),
    )
    sftp.on('READDIR', (id: number, buffer: Buffer) => {
      const folder = held(buffer)
      if (!folder || folder.isListed) return sftp.status(id, STATUS_CODE['EOF'])
      folder.isListed = true
      const own = [...files].filter(([path]) => path.startsWith(`${folder.path}/`))
      if (own.length === 0) return sftp.status(id, STATUS_CODE['EOF'])
      return sftp.name(
        id,
        own.map(([path, file]) => {
          const filename = path.slice(folder.path.length + 1)
          return { filename, longname: filename, attrs: attrsOf(file) }
        }),
      )
    })
    sftp.on('OPEN', (id: number, path: string) => {
      state.reads.push(path)
      if (state.dropOnRead) return client.end()
      return files.has(path) ? sftp.handle(id, handle(path)) : sftp.status(id, STATUS_CODE['NO_SUCH_FILE'])
    })
    const stat = (id: number, path: string) => {
      const file = files.get(path)
      return file ? sftp.attrs(id, attrsOf(file)) : sftp.status(id, STATUS_CODE['NO_SUCH_FILE'])
    }
    sftp.on('STAT', stat)
    sftp.on('LSTAT', stat)
    sftp.on('FSTAT', (id: number, buffer: Buffer) => stat(id, held(buffer)?.path ?? ''))
    sftp.on('READ', (id: number, buffer: Buffer, offset: number, length: number) => {
      const bytes = files.get(held(buffer)?.path ?? '')?.bytes ?? new Uint8Array()
      const part = Buffer.from(bytes.subarray(offset, offset + length))
      return part.length === 0 ? sftp.status(id, STATUS_CODE['EOF']) : sftp.data(id, part)
    })
    sftp.on('CLOSE', (id: number) => sftp.status(id, STATUS_CODE['OK']))
    sftp.on('RENAME', (id: number, from: string, to: string) => {
      const file = files.get(from)
      if (!file || files.has(to)) return sftp.status(id, STATUS_CODE['FAILURE'])
      files.delete(from)
      files.set(to, file)
      return sftp.status(id, STATUS_CODE['OK'])
    })
  }

  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  return {
    state,
    files,
    hostKey: `SHA256:${hostKey.replace(/=+$/, '')}`,
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((done) => {
        for (const client of clients) client.end()
        server.close(() => done())
      }),
  }
}
