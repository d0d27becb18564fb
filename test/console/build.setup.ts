import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const BUILD = new URL('../../scripts/build-console.mjs', import.meta.url).href

interface Setup {
  provide(key: 'browserFolder', value: string): void
}

declare module 'vitest' {
  interface ProvidedContext {
    /** For the profiles of the browsers, which end with their workers and remove nothing. */
    browserFolder: string
  }
}

/** Builds the console from its current sources once before the browser tests. */
export default async function setup(project: Setup): Promise<() => void> {
  await import(BUILD)
  const folder = mkdtempSync(join(tmpdir(), 'vendops-browser-'))
  project.provide('browserFolder', folder)
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
