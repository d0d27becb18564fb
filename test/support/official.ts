/** The official UCP schemas and their checker, where the shared folder stands beside the project; absent elsewhere. */
import { cpSync, existsSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = resolve(import.meta.dirname, '../..')
export const SHARED = process.env['UCP_SHARED'] ?? resolve(root, '../shared')

interface Verdict {
  readonly conforms: boolean
  readonly errors: readonly unknown[]
  readonly lint: readonly { readonly level: string }[]
}

export interface OfficialValidator {
  validate(type: string, document: unknown): Verdict
}

async function load(): Promise<OfficialValidator | undefined> {
  const tool = join(SHARED, 'tools/ucp-validate')
  if (!existsSync(tool)) {
    console.warn('official UCP schemas are not here: answers are checked against our own schemas only')
    return undefined
  }
  // The checker takes its dependencies from beside it, and the shared folder is read only: a copy borrows ours.
  const copy = mkdtempSync(join(tmpdir(), 'ucp-validate-'))
  cpSync(tool, copy, { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const { createValidator } = (await import(pathToFileURL(join(copy, 'index.mjs')).href)) as {
    createValidator: (folders: readonly string[]) => OfficialValidator
  }
  return createValidator([join(SHARED, 'ucp-schemas')])
}

let loaded: Promise<OfficialValidator | undefined> | undefined
export const officialValidator = (): Promise<OfficialValidator | undefined> => (loaded ??= load())
