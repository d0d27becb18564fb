/** The layout is a rule, not a habit: who may import whom is checked here, so a sideways import fails a test. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const SRC = import.meta.dirname

/** A capability may import only those to its left. */
const CAPABILITIES = [
  'events',
  'guardrails',
  'approvals',
  'skus',
  'sales',
  'locations',
  'catalog',
  'orders',
  'pricing',
  'checkout',
  'replenishment',
  'discovery',
  'retention',
  'audit',
]

/** What each folder may import besides itself; `*` is everything. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  lib: ['kernel'],
  contract: ['kernel'],
  'api-docs': ['kernel', 'contract'],
  vendors: ['kernel', 'lib', 'config'],
  store: ['kernel'],
  config: ['kernel'],
  'operator-token': ['config'],
  logger: ['kernel', 'log-sink'],
  'log-sink': ['kernel'],
  capabilities: ['kernel', 'lib', 'contract', 'vendors', 'store', 'config', 'jobs'],
  http: ['kernel', 'lib', 'contract', 'api-docs', 'store', 'capabilities'],
  jobs: ['kernel', 'store'],
  simulator: ['kernel'],
  client: ['kernel', 'contract'],
  cli: ['*'],
  console: ['client', 'contract'],
  app: ['*'],
  assemble: ['*'],
  main: ['*'],
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !/\.test(-support)?\.ts$/.test(file),
)

const importsOf = (file: string) =>
  [
    ...readFileSync(join(SRC, file), 'utf8').matchAll(
      /^(?:import|export)\s[^'"]*?from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/gms,
    ),
  ].map((match) => relative(SRC, resolve(SRC, dirname(file), (match[1] ?? match[2]) as string)))

const folderOf = (file: string) => (file.split('/')[0] ?? '').replace(/\.ts$/, '')
const capabilityOf = (file: string) => (file.startsWith('capabilities/') ? file.split('/')[1] : undefined)

test('every folder imports only what stands below it', () => {
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
  expect(wrong).toEqual([])
})

test('a capability imports only those to its left', () => {
  const wrong = files.flatMap((file) => {
    const own = capabilityOf(file)
    if (own === undefined || own.endsWith('.ts')) return []
    return importsOf(file).flatMap((target) => {
      const other = capabilityOf(target)
      if (other === undefined || other === own || other.endsWith('.ts')) return []
      return CAPABILITIES.indexOf(other) < CAPABILITIES.indexOf(own) && CAPABILITIES.includes(other)
        ? []
        : [`${file} → ${target}`]
    })
  })
  expect(wrong).toEqual([])
})

test('only its folder touches a thing that must stay behind one door', () => {
  const doors: Readonly<Record<string, RegExp>> = {
    fastify: /^http\//,
    'node:https': /^vendors\//,
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

test('nobody but the clock asks what time it is', () => {
  const wrong = files.filter(
    (file) =>
      file !== 'kernel/clock.ts' &&
      !/^(console|client|cli)\//.test(file) &&
      /Date\.now\(\)|new Date\(\)/.test(readFileSync(join(SRC, file), 'utf8')),
  )
  expect(wrong).toEqual([])
})
