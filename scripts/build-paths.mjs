// Where the builds of the service and the console are, and whether they are up to date.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const inRoot = (paths) => paths.map((path) => join(root, path))

/** The service in one file: the bookkeeping of a thousand modules would be a sixth of the process's memory. */
export const SERVER = join(root, 'dist/server/main.js')
/** The command line, built with it: it starts in a third of the CPU time. */
export const CLI = join(root, 'dist/server/vendops.js')
const SERVER_SOURCES = inRoot(['src', 'package-lock.json', 'scripts/build-server.mjs'])

export const CONSOLE = join(root, 'dist/console/index.html')
const CONSOLE_SOURCES = inRoot(['src/console', 'src/client', 'vite.config.ts', 'package-lock.json'])

/** Of a file, or of everything in a folder and the folder itself, whose time changes when a file is removed. */
function newestChange(path) {
  if (!existsSync(path)) return 0
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newestChange(join(path, name))))
}

export const isUpToDate = (built, sources) =>
  existsSync(built) && statSync(built).mtimeMs >= Math.max(...sources.map(newestChange))

export const isServerUpToDate = () => isUpToDate(SERVER, SERVER_SOURCES)
export const isConsoleUpToDate = () => isUpToDate(CONSOLE, CONSOLE_SOURCES)
