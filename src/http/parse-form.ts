/** A form with one file, as browsers send it. It is in memory as a whole: the limit of the route bounds it. */
import { UPLOAD_BYTES_MAX } from '../contract/limits.ts'
import { safeFileName } from '../lib/safe-file-name.ts'

const FIELDS_MAX = 10

export type ParsedForm =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string }

const refuse = (problem: string): ParsedForm => ({ ok: false, problem })

export async function parseForm(raw: Buffer, contentType: string): Promise<ParsedForm> {
  let form: FormData
  try {
    form = await new Response(new Uint8Array(raw), { headers: { 'content-type': contentType } }).formData()
  } catch {
    return refuse('The form cannot be read')
  }
  const value: Record<string, unknown> = {}
  const entries = [...form.entries()]
  if (entries.length > FIELDS_MAX) return refuse(`The form has more than ${FIELDS_MAX} fields`)
  if (entries.filter(([, entry]) => typeof entry !== 'string').length > 1) return refuse('Send one file at a time')
  for (const [name, entry] of entries) {
    if (name === '__proto__' || Object.hasOwn(value, name))
      return refuse(`The form has the field "${name.slice(0, 64)}" twice`)
    if (typeof entry === 'string') {
      if (name === 'file') return refuse('file must be a file')
      if (entry.includes('\0')) return refuse('NUL characters are not allowed')
      value[name] = entry
      continue
    }
    if (name !== 'file') return refuse('The file must be in the field "file"')
    if (entry.size > UPLOAD_BYTES_MAX) return refuse(`The file is larger than ${UPLOAD_BYTES_MAX / 1024 / 1024} MB`)
    if (entry.size === 0) return refuse('The file is empty')
    value[name] = { name: safeFileName(entry.name), bytes: new Uint8Array(await entry.arrayBuffer()) }
  }
  return { ok: true, value }
}
