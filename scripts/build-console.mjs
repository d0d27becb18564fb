// Builds the console when there is none yet or a source is newer, so that `npm start` needs no step before it.
// An installation without the build tools starts with the console it was shipped with.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const built = join(root, 'dist/console/index.html')
const sources = ['src/console', 'src/client', 'vite.config.ts', 'package-lock.json']

const newest = (path) => {
  if (!existsSync(path)) return 0
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))))
}

const fresh =
  existsSync(built) && statSync(built).mtimeMs >= Math.max(...sources.map((path) => newest(join(root, path))))
if (!fresh) {
  const vite = await import('vite').catch(() => undefined)
  if (vite) await vite.build({ configFile: join(root, 'vite.config.ts'), logLevel: 'warn' })
  else if (!existsSync(built))
    console.error('The console is not built and the build tools are not installed; the interface works without it.')
}
