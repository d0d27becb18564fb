// The service in one file: what a thousand modules hold in memory beside their code is a sixth of the process. Where it is
// missing or older than a source the service runs from the sources, all the same.
import { join } from 'node:path'
import { isFresh } from './fresh.mjs'

const root = join(import.meta.dirname, '..')

export const SERVER = join(root, 'dist/server/main.js')

/** Folders too: a file that was removed changes only them. */
const SOURCES = ['src', 'package-lock.json', 'scripts/build-server.mjs'].map((path) => join(root, path))

export const isServerFresh = () => isFresh(SERVER, SOURCES)
