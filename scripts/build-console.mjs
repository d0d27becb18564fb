// Builds the console when there is none yet or a source is newer, so that `npm start` needs no step before it.
// An installation without the build tools starts with the console it was shipped with.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildIntoPlace } from './build-into-place.mjs'
import { isFresh } from './fresh.mjs'

const root = join(import.meta.dirname, '..')
const built = join(root, 'dist/console/index.html')
const sources = ['src/console', 'src/client', 'vite.config.ts', 'package-lock.json'].map((path) => join(root, path))

if (!isFresh(built, sources)) {
  const vite = await import('vite').catch(() => undefined)
  if (vite)
    await buildIntoPlace(dirname(built), (outDir) =>
      vite.build({
        configFile: join(root, 'vite.config.ts'),
        logLevel: 'warn',
        build: { outDir, emptyOutDir: true },
      }),
    )
  else if (!existsSync(built))
    console.error('The console is not built and the build tools are not installed; the interface works without it.')
}
