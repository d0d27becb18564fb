/** Documents of real companies. They are not ours to publish, so they lie beside the repository and may be absent. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Beside the repository, or beside the folder of its worktrees. */
const PLACES = ['../../../../../shared', '../../../../../../shared'].map((path) => resolve(import.meta.dirname, path))

export interface Samples {
  readonly folder: string
  readonly read: (name: string) => Buffer
}

export function findSamples(kind: 'price-lists' | 'peppol' | 'x12' | 'cxml'): Samples | undefined {
  const folder = PLACES.map((place) => join(place, 'vendors/samples', kind)).find((path) => existsSync(path))
  return folder === undefined ? undefined : { folder, read: (name) => readFileSync(join(folder, name)) }
}
