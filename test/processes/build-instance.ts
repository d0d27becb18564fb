/** Bundles the process of these tests: it then starts in a third of the CPU time that it takes from the sources. */
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'

const ROOT = join(import.meta.dirname, '../..')
const SCRIPTS = new URL('../../scripts/', import.meta.url).href

const built = new Map<string, Promise<string>>()

/** The path of the bundle of a program. Workers are threads of one process: the first one builds, the others wait. */
export function builtInstance(program = 'test/processes/instance.ts'): Promise<string> {
  const building = built.get(program) ?? navigator.locks.request(program, () => findOrBuild(program))
  built.set(program, building)
  return building
}

async function findOrBuild(program: string): Promise<string> {
  const { isUpToDate } = (await import(`${SCRIPTS}build-paths.mjs`)) as {
    readonly isUpToDate: (built: string, sources: readonly string[]) => boolean
  }
  const { buildIntoPlace } = (await import(`${SCRIPTS}build-into-place.mjs`)) as {
    readonly buildIntoPlace: (target: string, build: (folder: string) => Promise<void>) => Promise<void>
  }
  const folder = join(ROOT, 'node_modules/.cache/instances', program.replaceAll(/\W/g, '-'))
  const bundle = join(folder, 'instance.mjs')
  const sources = ['src', 'test', 'package-lock.json'].map((path) => join(ROOT, path))
  if (isUpToDate(bundle, sources)) return bundle
  const startedAt = new Date()
  await buildIntoPlace(folder, (outDir) => buildProgram(program, outDir))
  // What changes while it is built is newer than the bundle.
  utimesSync(bundle, startedAt, startedAt)
  return bundle
}

async function buildProgram(program: string, outDir: string): Promise<void> {
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'warn',
    // In the bundle main.ts is part of the program, not the program.
    define: { 'import.meta.main': 'false' },
    build: {
      ssr: program,
      outDir,
      emptyOutDir: true,
      target: 'esnext',
      minify: false,
      rolldownOptions: { output: { entryFileNames: 'instance.mjs', chunkFileNames: '[name].mjs' } },
    },
    ssr: { target: 'node', noExternal: true, external: ['pg-native'] },
  })
}
