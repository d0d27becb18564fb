/**
 * A form with one file, as browsers send it (RFC 7578). It is in memory as a whole: the limit of the route bounds it. The file
 * is a part of that memory and not copied: copies of 15 MB took longer than a request may wait.
 */
import { UPLOAD_BYTES_MAX } from '../contract/limits.ts'
import { safeFileName } from '../lib/safe-file-name.ts'

const FIELDS_MAX = 10
const HEADERS_MAX = 8 * 1024
const BOUNDARY_MAX = 70

export type ParsedForm =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string }

const refuse = (problem: string): ParsedForm => ({ ok: false, problem })
const UNREADABLE = 'The form cannot be read'

interface Part {
  readonly name: string
  /** Absent: a field. */
  readonly file?: string
  readonly bytes: Uint8Array
}

export function parseForm(raw: Buffer, contentType: string): ParsedForm {
  const parts = splitParts(raw, contentType)
  if (typeof parts === 'string') return refuse(parts)
  if (parts.filter(({ file }) => file !== undefined).length > 1) return refuse('Send one file at a time')
  const value: Record<string, unknown> = {}
  for (const { name, file, bytes } of parts) {
    if (name === '__proto__' || Object.hasOwn(value, name))
      return refuse(`The form has the field "${name.slice(0, 64)}" twice`)
    if (file === undefined) {
      if (name === 'file') return refuse('file must be a file')
      const text = new TextDecoder().decode(bytes)
      if (text.includes('\0')) return refuse('NUL characters are not allowed')
      value[name] = text
      continue
    }
    if (name !== 'file') return refuse('The file must be in the field "file"')
    if (bytes.length > UPLOAD_BYTES_MAX) return refuse(`The file is larger than ${UPLOAD_BYTES_MAX / 1024 / 1024} MB`)
    if (bytes.length === 0) return refuse('The file is empty')
    value[name] = { name: safeFileName(file), bytes }
  }
  return { ok: true, value }
}

/** The parts, or what is wrong with the form. */
function splitParts(raw: Buffer, contentType: string): readonly Part[] | string {
  const boundary = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType)
  const mark = boundary?.[1] ?? boundary?.[2]
  if (mark === undefined || mark.length > BOUNDARY_MAX) return UNREADABLE
  const first = Buffer.from(`--${mark}`)
  const between = Buffer.from(`\r\n--${mark}`)
  const parts: Part[] = []
  if (!raw.subarray(0, first.length).equals(first)) return UNREADABLE
  for (let at = first.length; ;) {
    const after = raw.toString('latin1', at, at + 2)
    if (after === '--') return parts
    if (after !== '\r\n') return UNREADABLE
    if (parts.length === FIELDS_MAX) return `The form has more than ${FIELDS_MAX} fields`
    const headersEnd = raw.indexOf('\r\n\r\n', at)
    if (headersEnd < 0 || headersEnd - at > HEADERS_MAX) return UNREADABLE
    const end = raw.indexOf(between, headersEnd + 2)
    if (end < 0) return UNREADABLE
    const start = headersEnd + 4
    const named = readDisposition(raw.toString('utf8', at + 2, headersEnd))
    if (!named || end < start) return UNREADABLE
    parts.push({ ...named, bytes: new Uint8Array(raw.buffer, raw.byteOffset + start, end - start) })
    at = end + between.length
  }
}

/** Browsers write a quotation mark and line ends in a name as `%22`, `%0D` and `%0A`; some programs write `\"`. */
const ESCAPED: Readonly<Record<string, string>> = { '%22': '"', '%0D': '\r', '%0A': '\n', '\\"': '"' }
const unescapeName = (text: string): string =>
  text.replaceAll(/%(?:22|0D|0A)|\\"/gi, (code) => ESCAPED[code.toUpperCase()] ?? code)

const DISPOSITION = /^content-disposition\s*:\s*form-data\s*(?=;)/i
const MEMBER = /\s*;\s*([\w*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/y

function readDisposition(headers: string): Pick<Part, 'name' | 'file'> | undefined {
  const line = headers.split('\r\n').find((header) => DISPOSITION.test(header))
  const members = new Map<string, string>()
  MEMBER.lastIndex = DISPOSITION.exec(line ?? '')?.[0].length ?? 0
  for (let found = MEMBER.exec(line ?? ''); found; found = MEMBER.exec(line ?? ''))
    members.set((found[1] ?? '').toLowerCase(), unescapeName(found[2] ?? found[3] ?? ''))
  const [name, file] = [members.get('name'), members.get('filename')]
  return name === undefined ? undefined : { name, ...(file !== undefined && { file }) }
}
