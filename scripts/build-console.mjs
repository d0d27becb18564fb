// Builds the console when it is missing or out of date, so that `npm start` needs no separate step.
// An installation without the build tools uses the console it was shipped with.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildIntoPlace } from './build-into-place.mjs'
import { CONSOLE, isConsoleUpToDate } from './build-paths.mjs'

if (!isConsoleUpToDate()) {
  const vite = await import('vite').catch(() => undefined)
  if (vite)
    await buildIntoPlace(dirname(CONSOLE), (outDir) =>
      vite.build({
        configFile: join(import.meta.dirname, '../vite.config.ts'),
        logLevel: 'warn',
        build: { outDir, emptyOutDir: true },
      }),
    )
  else if (!existsSync(CONSOLE))
    console.error('The console is not built and the build tools are not installed. The API works without it.')
}
