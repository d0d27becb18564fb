/** The layout is a rule, not a habit: who may import whom is checked here, so a sideways import fails a test. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { TABLES as DATABASE_TABLES } from './store/schema.ts'

const SRC = import.meta.dirname

/** One row per folder of the table in docs/architecture.md: its name, what it holds, what it may import. */
const TABLE = [
  ...readFileSync(join(SRC, '../docs/architecture.md'), 'utf8').matchAll(/^\| `([\w-]+)` \| (.+?) \| (.+?) \|$/gm),
].map(([, folder = '', holds = '', imports = '']) => ({ folder, holds, imports }))

/** The five tiers, in the order of the table. */
const TIERS = ['record', 'rules', 'route', 'acts', 'views']

/** The capabilities, which each row of a tier names first: each may import only those before it. */
const CAPABILITIES = TABLE.filter(({ folder }) => TIERS.includes(folder)).flatMap(({ folder, holds }) =>
  (holds.split(';')[0] ?? '').split(', ').map((name) => `${folder}/${name}`),
)

/** What each folder may import besides itself; `*` is everything. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  TABLE.map(({ folder, imports }) => [
    folder,
    imports === 'everything' ? ['*'] : [...imports.matchAll(/`([\w-]+)`/g)].map(([, name]) => name ?? ''),
  ]),
)

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !/\.test(-support)?\.ts$/.test(file),
)

const importsOf = (file: string) =>
  [
    ...readFileSync(join(SRC, file), 'utf8').matchAll(
      /^(?:import|export)\s[^'"]*?from\s+'(\.[^']+)'|^import\s+'(\.[^']+)'|import\('(\.[^']+)'\)/gms,
    ),
  ].map((match) => relative(SRC, resolve(SRC, dirname(file), (match[1] ?? match[2] ?? match[3]) as string)))

const folderOf = (file: string) => (file.split('/')[0] ?? '').replace(/\.ts$/, '')
const capabilityOf = (file: string) =>
  TIERS.includes(folderOf(file)) ? file.split('/').slice(0, 2).join('/') : undefined

test('every folder imports only what the table allows', () => {
  const wrong = files.flatMap((file) => {
    const allowed = MAY_IMPORT[folderOf(file)]
    if (!allowed) return [`${file}: a folder the architecture does not know`]
    return importsOf(file)
      .filter(
        (target) =>
          folderOf(target) !== folderOf(file) && !allowed.includes('*') && !allowed.includes(folderOf(target)),
      )
      .map((target) => `${file} → ${target}`)
  })
  // The version of the product stands once, in the package.
  expect(wrong).toEqual(['contract/version.ts → ../package.json'])
})

test('the table names exactly the folders and capabilities that exist', () => {
  const exists = (folder: string) => files.some((file) => folderOf(file) === folder)
  expect(TABLE.map(({ folder }) => folder).filter((folder) => !exists(folder))).toEqual([])
  const folders = new Set(files.flatMap((file) => capabilityOf(file) ?? []))
  expect(CAPABILITIES.toSorted()).toEqual([...folders].toSorted())
  expect(TABLE.map(({ folder }) => folder).filter((folder) => TIERS.includes(folder))).toEqual(TIERS)
})

test('the picture and its source name the capabilities in the order of the table', () => {
  for (const file of ['architecture.dot', 'architecture.svg']) {
    const picture = readFileSync(join(SRC, '../docs', file), 'utf8').replaceAll('&#45;', '-')
    const lines = picture.match(/[\w-]+( · [\w-]+)+/g) ?? []
    expect(
      lines.flatMap((line) => line.split(' · ')),
      file,
    ).toEqual(CAPABILITIES.map((name) => name.split('/')[1]))
  }
})

test('a capability imports only those that the table names before it', () => {
  const wrong = files.flatMap((file) => {
    const own = capabilityOf(file)
    if (own === undefined) return []
    return importsOf(file).flatMap((target) => {
      const other = capabilityOf(target)
      if (other === undefined || other === own) return []
      return CAPABILITIES.indexOf(other) < CAPABILITIES.indexOf(own) && CAPABILITIES.includes(other)
        ? []
        : [`${file} → ${target}`]
    })
  })
  expect(wrong).toEqual([])
})

test('no file imports itself through others, not even its types', () => {
  const graph = new Map(files.map((file) => [file, importsOf(file)]))
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file)
    if (at !== -1) circles.push([...path.slice(at), file].join(' → '))
    if (at !== -1 || done.has(file)) return
    for (const target of graph.get(file) ?? []) visit(target, [...path, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  expect(circles).toEqual([])
})

test('a folder has at most 25 files; a larger one gets rooms', () => {
  const FILES_MAX = 25
  const folders = Map.groupBy(files, dirname)
  const large = [...folders].filter(([, inside]) => inside.length > FILES_MAX).map(([folder]) => folder)
  expect(large).toEqual([])
})

test('in the console a feature stands on parts of a page, and those on what has no markup', () => {
  const FLOORS = ['console/lib/', 'console/ui/', 'console/features/']
  const floorOf = (file: string): number => FLOORS.findIndex((folder) => file.startsWith(folder))
  const wrong = files
    .filter((file) => floorOf(file) !== -1)
    .flatMap((file) =>
      importsOf(file)
        .filter((target) => floorOf(target) > floorOf(file))
        .map((target) => `${file} imports ${target}`),
    )
  expect(wrong).toEqual([])
})

test('some modules are imported by one folder only', () => {
  const doors: Readonly<Record<string, RegExp>> = {
    fastify: /^http\//,
    'node:https': /^(vendors|lib\/outbound)\//,
    'node:sqlite': /^store\//,
    pg: /^store\//,
    'prom-client': /^http\//,
  }
  const wrong = files.flatMap((file) =>
    Object.entries(doors)
      .filter(
        ([name, folder]) =>
          !folder.test(file) && new RegExp(`from '${name}'`).test(readFileSync(join(SRC, file), 'utf8')),
      )
      .map(([name]) => `${file} imports ${name}`),
  )
  expect(wrong).toEqual([])
})

test('only the clock reads the current time', () => {
  const wrong = files.filter(
    (file) =>
      file !== 'kernel/clock.ts' &&
      !/^(console|client|cli)\//.test(file) &&
      /Date\.now\(\)|new Date\(\)|Temporal\.Now/.test(readFileSync(join(SRC, file), 'utf8')),
  )
  expect(wrong).toEqual([])
})

test('a capability is imported through its index.ts only', () => {
  /** A program of its own, which must start without the rest of the service. */
  const PLANNER_CLI = 'acts/replenishment/planner-cli/plan-lines.ts'
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((target) => {
        const other = capabilityOf(target)
        if (other === undefined || other === capabilityOf(file)) return false
        return target !== `${other}/index.ts` && target !== PLANNER_CLI
      })
      .map((target) => `${file} → ${target}`),
  )
  expect(wrong).toEqual([])
})

test('the planner is pure: it imports nothing but the kernel and pure functions of lib', () => {
  const planner = 'acts/replenishment/planner/'
  /** Packages and modules of Node, and globals that read something or act. */
  const OUTSIDE = /from '[^.]|\b(?:process|fetch|console|performance|globalThis|setTimeout|Math\.random)\b/
  const outside = files.filter(
    (file) => file.startsWith(planner) && OUTSIDE.test(readFileSync(join(SRC, file), 'utf8')),
  )
  expect(outside).toEqual([])
  const PURE = ['lib/binary-search.ts']
  const wrong = files
    .filter((file) => file.startsWith(planner))
    .flatMap((file) => importsOf(file).map((target) => [file, target] as const))
    .filter(([, target]) => !target.startsWith(planner) && folderOf(target) !== 'kernel' && !PURE.includes(target))
    .map(([file, target]) => `${file} → ${target}`)
  expect(wrong).toEqual([])
})

describe('tables', async () => {
  const TABLES = 'store/tables/'
  /** The owner of each table: the file of store/tables that declares it is named after the owner's folder. */
  const owners = new Map<string, string>()
  for (const file of files.filter((each) => each.startsWith(TABLES)))
    for (const tables of Object.values((await import(join(SRC, file))) as Record<string, object>))
      for (const table of Object.keys(tables)) owners.set(table, file.slice(TABLES.length, -'.ts'.length))
  const SHARED = new Set(['counter'])
  /** Queries over tables of two owners, each with its reason. */
  const JOINS: Readonly<Record<string, readonly string[]>> = {
    // One statement: old events are removed unless an attempt, inserted in another transaction, refers to them.
    'record/events/records.ts': ['checkout_attempt'],
    // The audit's comparison of purchases with their sessions, the filter of a page of purchases by machine, and the run
    // of each.
    'acts/orders/purchase-records.ts': ['checkout', 'run_line'],
    // Old drafts are removed in the transaction that finds no run line for them; checkout cannot import replenishment.
    'acts/checkout/records.ts': ['run_line'],
    // What a purchase counts towards the limits is the higher of what was agreed and what the supplier charged, summed in the
    // transaction that claims the next one.
    'acts/checkout/purchase/spending-records.ts': ['purchase'],
    // The packed levels of many slots are joined from the log by the database; sales cannot import locations.
    'route/sales/slot-series-records.ts': ['stock_log'],
    // Which run lines may still be delivered depends on their checkout session. Read in one query, because a session that
    // is canceled between two queries would hide a slot from the check against ordering twice.
    'acts/replenishment/runs/slot-run-records.ts': ['checkout'],
  }
  /** Where SQL may stand: the records of a capability, and the store and HTTP layer, which are small. */
  const mayQuery = (file: string) => /(^|[/-])records\.ts$/.test(file) || /^(store|http)\//.test(file)
  const BUILT = /(?:selectFrom|insertInto|updateTable|deleteFrom|replaceInto|\w+Join)\(\s*\[?'(\w+)(?: as \w+)?'/g
  /** SQL written as text. Only names of tables count: the others are of common table expressions. */
  const WRITTEN = /`[^`]*\b(?:select|insert into|update|delete from)\b[^`]*`/gi
  const tablesWritten = (sql: string) =>
    [...sql.matchAll(/\b(?:from|join|into|update) (\w+)/gi)].filter(([, table = '']) => owners.has(table))
  /** By a parameter, whose type lists the tables, or a subquery of the same file. Of any other name the table is unknown. */
  const NAMED = /(?:selectFrom|insertInto|updateTable|deleteFrom|replaceInto|\w+Join)\(\s*(\w+)[,)]/g
  const tablesNamed = (text: string, name: string) => {
    const types = new RegExp(`\\b${name}: ((?:'\\w+'[ |]*)+)`).exec(text)?.[1]
    if (types !== undefined) return [...types.matchAll(/'(\w+)'/g)]
    return new RegExp(`\\bconst ${name} = `).test(text) ? [] : [[name, name]]
  }
  const uses = files
    .filter((file) => !/^(store\/migrations|console\/|simulator\/)/.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(SRC, file), 'utf8')
      const written = [...text.matchAll(WRITTEN)].flatMap(([sql]) => tablesWritten(sql))
      const named = [...text.matchAll(NAMED)].flatMap(([, name = '']) => tablesNamed(text, name))
      return [...text.matchAll(BUILT), ...written, ...named].map(([, table]) => ({ file, table: table ?? '' }))
    })
  const ownerOf = (file: string) => capabilityOf(file)?.split('/')[1] ?? folderOf(file)

  test('every table belongs to the database', () => {
    expect([...owners.keys()].toSorted()).toEqual(Object.keys(DATABASE_TABLES).toSorted())
  })

  test('every query names a known table', () => {
    expect(uses.filter(({ table }) => !owners.has(table))).toEqual([])
  })

  test('a table is queried by its owner only', () => {
    const wrong = uses.filter(
      ({ file, table }) => !SHARED.has(table) && owners.get(table) !== ownerOf(file) && !JOINS[file]?.includes(table),
    )
    expect([...new Set(wrong.map(({ file, table }) => `${file}: ${table} is of ${owners.get(table)}`))]).toEqual([])
  })

  test('SQL is in records files only', () => {
    expect([...new Set(uses.filter(({ file }) => !mayQuery(file)).map(({ file }) => file))]).toEqual([])
  })
})
