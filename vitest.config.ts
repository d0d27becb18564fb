import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { seedFault } from './test/mutations/seed-fault.ts'
import { programsFromBuild } from './test/support/programs-from-build.ts'
import { sampleOfCommit } from './test/support/sample.ts'

// Threads and processes of the tests start with it in two thirds of the CPU time.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled')

/** Whole programs and documents: they bring their own database, so they run once. */
const ONCE = ['cli', 'client', 'docs', 'mutations', 'simulation', 'wire'].map((folder) => `test/${folder}/**/*.test.ts`)

/** The console in a real browser, before the real service. */
const BROWSER = 'test/console/**/*.test.ts'

/**
 * Pure tests sit beside their files; what needs a database is in test/ and runs once per database. `--mode sample`
 * (`npm test`) runs a part of what repeats the same code (`test/support/sample.ts`), `--mode all` (`npm run test:all`) tries
 * all random cases.
 */
export default defineConfig(({ mode }) => {
  const sample = mode === 'sample' ? sampleOfCommit([...ONCE, BROWSER]) : undefined
  if (sample) console.info(sample.text)
  // Building is not worth it for a few files.
  const isWhole = mode === 'sample' || mode === 'all'
  const onDatabase = (name: 'sqlite' | 'postgres') => ({
    extends: true as const,
    test: {
      name,
      include: name === 'postgres' && sample ? [...sample.postgres] : ['test/**/*.test.ts'],
      exclude: [...ONCE, BROWSER, ...(name === 'sqlite' && sample ? sample.notOnSqlite : [])],
      env: { TEST_DATABASE: name },
      ...(name === 'postgres' ? { globalSetup: ['test/support/postgres.setup.ts'] } : {}),
    },
  })
  return {
    plugins: [seedFault(process.env['SEEDED_FAULT']), ...(isWhole ? [programsFromBuild()] : [])],
    test: {
      isolate: false,
      pool: 'threads',
      // One more than there are cores: much of the suite waits for databases, processes and browsers.
      maxWorkers: availableParallelism() + 1,
      // Only to end what hangs: on a host that is short of CPU a test may take many times as long as usual.
      testTimeout: 120_000,
      hookTimeout: 180_000,
      // The default is one second, which a busy host does not keep.
      expect: { poll: { timeout: 60_000 } },
      env: { ...(mode === 'all' ? { PROPERTY_RUNS: '1' } : {}), ...(sample ? { SAMPLE_TURN: sample.turn } : {}) },
      globalSetup: isWhole ? ['test/support/programs.setup.ts'] : [],
      coverage: { provider: 'v8', include: ['src/**/*.ts'], exclude: ['src/console/**', '**/*.test.ts'] },
      projects: [
        { extends: true, test: { name: 'unit', include: ['src/**/*.test.ts'] } },
        { extends: true, test: { name: 'once', include: ONCE } },
        {
          extends: true,
          test: {
            name: 'browser',
            include: [BROWSER],
            globalSetup: ['test/console/build.setup.ts'],
            testTimeout: 600_000,
          },
        },
        onDatabase('sqlite'),
        onDatabase('postgres'),
      ],
    },
  }
})
