/**
 * Threads and processes of the service start from its build, as in production: from the sources a thread takes up to five times
 * the CPU. Only where `programs.setup.ts` has built the current sources.
 */
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vitest/config'

const CHOOSES = resolve('src/lib/program-file.ts').replaceAll('\\', '/')
const BUILD = pathToFileURL(join(import.meta.dirname, '../../dist/server/')).href

export const programsFromBuild = (): Plugin => ({
  name: 'programs-from-build',
  enforce: 'pre',
  // Vitest keeps what it has transformed, by the text of the file on disk.
  configureVitest: ({ defineCacheKeyGenerator }) =>
    defineCacheKeyGenerator(({ id }) => (id === CHOOSES ? 'from the build' : undefined)),
  transform: (_, id) =>
    id === CHOOSES ? `export const programFile = (name) => new URL(name + '.js', ${JSON.stringify(BUILD)})` : undefined,
})
