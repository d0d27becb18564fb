import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runCli } from '../../src/cli/cli.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { EXIT } from '../../src/cli/exit.ts'
import { memoryTerminal } from '../../src/cli/memory-terminal.test-support.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'

async function vendops(argv: string[], env: Record<string, string>, answers: string[] = []) {
  const terminal = memoryTerminal(answers)
  const { signal } = new AbortController()
  const exit = await runCli(argv, { commands: COMMANDS, terminal, env, signal })
  return { exit, out: terminal.stdout, err: terminal.stderr }
}

const put = (store: Store, name: string) => store.db.insertInto('counter').values({ name, value: 1 }).execute()

async function names(url: string): Promise<string[]> {
  const store = await openStore(url)
  const rows = await store.db.selectFrom('counter').select('name').orderBy('name').execute()
  await store.close()
  return rows.map(({ name }) => name)
}

/** A database with the row `before`, a backup of it, and then the row `after`. */
async function host() {
  const at = mkdtempSync(join(tmpdir(), 'vendops-restore-'))
  onTestFinished(() => rmSync(at, { recursive: true, force: true }))
  const file = join(at, 'data', 'vendops.db')
  const backup = join(at, 'backup.db')
  const env = { DATABASE_URL: `sqlite:${file}` }
  const store = await openStore(env.DATABASE_URL)
  await put(store, 'before')
  expect((await vendops(['backup', backup], env)).exit).toBe(EXIT.ok)
  await put(store, 'after')
  return { at, file, backup, env, store }
}

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
const beside = (file: string) => readdirSync(join(file, '..')).filter((name) => name.includes('restor'))

describe('vendops restore', () => {
  test('a database of an older version is backed up, and otherwise refused with what to do', async () => {
    const { at, env, store } = await host()
    await store.db.deleteFrom('migration').execute()
    const audited = await vendops(['audit', '--offline'], env)
    expect(audited.exit).toBe(EXIT.failed)
    expect(audited.err).toContain('older version of vendops; it needs 0001_schema')
    expect(audited.err).toContain('start the service')
    expect((await vendops(['backup', join(at, 'older.db')], env)).exit).toBe(EXIT.ok)
    await store.close()
  })

  test('replaces the database, keeps the previous one and suggests the next step', async () => {
    const { file, backup, env, store } = await host()
    await store.close()
    const marker = join(file, '..', 'emergency-stop.json')
    writeFileSync(marker, '{"reason":"odd prices"}')
    const live = { ...env, VENDOPS_ENV: 'live', OPERATOR_TOKEN: 'a-token-of-32-characters-or-more' }
    const { exit, err } = await vendops(['restore', backup], live, ['restore'])
    expect([exit, err]).toEqual([EXIT.ok, expect.stringContaining('audit --repair')])
    expect(await names(env.DATABASE_URL)).toEqual(['before'])
    expect(mode(file)).toBe('600')
    const [kept] = beside(file)
    expect(kept).toMatch(/^vendops\.db\.before-restore-\d{8}T\d{6}Z$/)
    expect(await names(`sqlite:${join(file, '..', kept!)}`)).toEqual(['after', 'before'])
    expect(readFileSync(marker, 'utf8'), 'the marker file next to the database stays').toContain('odd prices')
  })

  test('is refused while a service has the database open', async () => {
    const { file, backup, env, store } = await host()
    const { exit, err } = await vendops(['restore', backup, '--yes'], env)
    expect([exit, err.includes('stop the service first')]).toEqual([EXIT.failed, true])
    expect(beside(file)).toEqual([])
    await put(store, 'still works')
    await store.close()
    expect(await names(env.DATABASE_URL)).toEqual(['after', 'before', 'still works'])
  })

  test('is refused for a backup that is damaged, foreign, newer or missing', async () => {
    const { at, file, backup, env, store } = await host()
    await store.close()
    const damaged = join(at, 'damaged.db')
    const bytes = readFileSync(backup)
    bytes.fill(0xff, 4096, 3 * 4096)
    writeFileSync(damaged, bytes)
    const foreign = join(at, 'notes.txt')
    writeFileSync(foreign, 'milk, bread, and a long line so that it has some length')
    const newer = join(at, 'newer.db')
    writeFileSync(newer, readFileSync(backup))
    const later = await openStore(`sqlite:${newer}`)
    await later.db.insertInto('migration').values({ name: '9999_later' }).execute()
    await later.close()
    const unreleased = join(at, 'unreleased.db')
    writeFileSync(unreleased, readFileSync(backup))
    const earlier = await openStore(`sqlite:${unreleased}`)
    await earlier.db.updateTable('migration').set({ name: '0001_foundation' }).execute()
    await earlier.close()
    for (const [wrong, why] of [
      [damaged, 'not a usable backup'],
      [foreign, 'not a usable backup'],
      [newer, 'newer version of vendops (9999_later)'],
      [unreleased, 'was written by an unreleased version of vendops and cannot be upgraded'],
      [join(at, 'nowhere.db'), 'does not exist'],
    ] as const) {
      const { exit, err } = await vendops(['restore', wrong, '--yes'], env)
      expect(exit, wrong).toBe(EXIT.failed)
      expect(err).toContain(why)
      expect(err).toContain('nothing was changed')
    }
    expect(beside(file)).toEqual([])
    expect(await names(env.DATABASE_URL)).toEqual(['after', 'before'])
  })

  test('replaces an unreadable database with a warning', async () => {
    const { file, backup, env, store } = await host()
    await store.close()
    writeFileSync(file, 'this was a database once, before the disk failed and took it away')
    const { exit, out, err } = await vendops(['restore', backup, '--yes'], env)
    expect([exit, out.includes('make sure that no service has it open')]).toEqual([EXIT.ok, true])
    expect(err, 'staging has no supplier to ask').toContain('vendops serve')
    expect(await names(env.DATABASE_URL)).toEqual(['before'])
  })

  test('needs a confirmation and an SQLite database', async () => {
    const { backup, env, store } = await host()
    await store.close()
    expect((await vendops(['restore', backup], env, ['yes'])).exit).toBe(EXIT.declined)
    expect(await names(env.DATABASE_URL)).toEqual(['after', 'before'])
    const other = await vendops(['restore', backup, '--yes'], { DATABASE_URL: 'postgres://127.0.0.1/vendops' })
    expect([other.exit, other.err.includes('docs/backup-and-restore.md')]).toEqual([EXIT.failed, true])
  })
})

describe('files of the deployment', () => {
  test('folder, database files and backups are readable by their user only, also existing ones', async () => {
    const { file, backup, store } = await host()
    expect(mode(join(file, '..'))).toBe('700')
    expect([file, `${file}-wal`, `${file}-shm`, backup].map(mode)).toEqual(['600', '600', '600', '600'])
    await store.close()
    chmodSync(join(file, '..'), 0o755)
    chmodSync(file, 0o644)
    await (await openStore(`sqlite:${file}`)).close()
    expect([mode(join(file, '..')), mode(file)]).toEqual(['700', '600'])
  })
})

describe('an unusable database is reported in one sentence', () => {
  const open = (url: string) =>
    openStore(url, { wait: { waitMs: 0, deadline: 0, onWait: () => {} } }).then(() => 'opened', String)

  test('of a newer version', async () => {
    const { env, store } = await host()
    await store.db.insertInto('migration').values({ name: '9999_later' }).execute()
    await store.close()
    expect(await open(env.DATABASE_URL)).toMatch(/newer version of vendops \(9999_later\)/)
    const { exit, err } = await vendops(['audit', '--offline'], env)
    expect([exit, err.includes('newer version'), /^\s+at /m.test(err)]).toEqual([EXIT.failed, true, false])
  })

  test('not a database, damaged, a folder, an impossible path, an unreachable server', async () => {
    const { at, file, store } = await host()
    await store.close()
    const bytes = readFileSync(file)
    bytes.fill(0xff, 100, 4096)
    writeFileSync(file, bytes)
    expect(await open(`sqlite:${file}`)).toMatch(/is damaged. Restore a backup/)
    writeFileSync(join(at, 'text.db'), 'no database at all, just a text of some length, longer than a header')
    expect(await open(`sqlite:${join(at, 'text.db')}`)).toMatch(/is not an SQLite database, or is damaged/)
    expect(await open(`sqlite:${at}`)).toMatch(/cannot be opened/)
    expect(await open(`sqlite:${join(file, 'below', 'vendops.db')}`)).toMatch(/cannot be opened: (?:ENOTDIR|EEXIST)/)
    expect(existsSync(join(file, 'below'))).toBe(false)
    expect(await open('postgres://vendops@127.0.0.1:1/vendops')).toMatch(/did not answer within 0 s: .*ECONNREFUSED/)
  })
})
