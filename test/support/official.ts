/**
 * The official UCP schemas and their validator, where they lie beside the project; they are data of others and not part
 * of it. `UCP_SHARED` names the folder, by default `../shared`.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SCHEMA_NAMES, schemaDocument } from '../../src/api-docs/extension-schemas.ts'

const ROOT = resolve(import.meta.dirname, '../..')

export const SHARED = process.env['UCP_SHARED'] ?? resolve(ROOT, '../shared')

export const officialIsHere =
  existsSync(join(SHARED, 'tools/ucp-validate/index.mjs')) && existsSync(join(SHARED, 'ucp-schemas'))

export interface Verdict {
  readonly valid: boolean
  readonly conforms: boolean
  readonly errors: readonly { readonly path: string; readonly message: string }[]
  readonly extensions: readonly string[]
  readonly lint: readonly { readonly level: string; readonly rule: string; readonly path: string }[]
}

export interface OfficialValidator {
  validate(type: string, document: unknown, options?: { readonly ext?: readonly string[] }): Verdict
}

export interface Official {
  readonly validator: OfficialValidator
  readonly samples: Readonly<Record<string, Record<string, unknown>>>
  close(): void
}

/** The tool is copied because it looks for its dependencies beside itself, and ours have them. */
export async function openOfficial(): Promise<Official> {
  const folder = mkdtempSync(join(tmpdir(), 'ucp-official-'))
  const tool = join(folder, 'tool')
  cpSync(join(SHARED, 'tools/ucp-validate'), tool, { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const schemas = join(folder, 'schemas')
  mkdirSync(schemas)
  for (const name of SCHEMA_NAMES) writeFileSync(join(schemas, `${name}.json`), JSON.stringify(schemaDocument(name)))
  const load = (path: string): Promise<unknown> => import(/* @vite-ignore */ pathToFileURL(path).href)
  const { createValidator } = (await load(join(tool, 'index.mjs'))) as {
    createValidator: (folders: readonly string[]) => OfficialValidator
  }
  const samples = (await load(join(tool, 'test/samples.mjs'))) as Official['samples']
  return {
    validator: createValidator([join(SHARED, 'ucp-schemas'), schemas]),
    samples,
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

let shared: Promise<OfficialValidator | undefined> | undefined

/** One validator for all answers of a test process; undefined, and said so once, where the schemas are not at hand. */
export function officialValidator(): Promise<OfficialValidator | undefined> {
  shared ??= (async () => {
    if (!officialIsHere) {
      console.warn(`the official UCP schemas are not at ${SHARED}: answers are checked against our own shapes only`)
      return undefined
    }
    const official = await openOfficial()
    process.once('exit', () => official.close())
    return official.validator
  })()
  return shared
}
