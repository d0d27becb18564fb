/**
 * A DEX audit file as text: finds it inside what gateways wrap around it, splits it into segments, checks its checksum.
 * The format is EVA-DTS: segments end with a line end, fields are separated by `*`, bytes are Latin-1.
 */

export interface Segment {
  readonly id: string
  /** `fields[0]` is field 01 of the segment; missing trailing fields are empty. Trimmed, escapes resolved. */
  readonly fields: readonly string[]
}

/** What a gateway says around the file. */
export interface Envelope {
  readonly operatorIdentifier?: string
  /** Local time of the machine, `yyyyMMdd HHmmss_SSS`. */
  readonly machineDate?: string
}

type Checksum = 'right' | 'wrong' | 'absent'

export type DexText = Readonly<NonNullable<ReturnType<typeof readDexText>>>

const START = /(?:^|[\r\n>|])((?:DXS|ST)\*)/
/** The byte order mark of UTF-8, as Latin-1. */
const UTF8_MARK = /^\u00EF\u00BB\u00BF/
const LINE_END = /\r\n|\n|\r/
const ESCAPE = /\^([0-9A-Fa-f]{2})\^/g

/** Undefined when there is no DEX file in it. */
export function readDexText(bytes: Uint8Array) {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1').replace(UTF8_MARK, '')
  const { text, envelope } = unwrap(raw)
  const found = START.exec(text)
  if (!found?.[1]) return undefined
  const body = text.slice(found.index + found[0].length - found[1].length)
  const lines: string[] = []
  /** False when the file ends before its trailer. */
  let complete = false
  let isOpen = false
  for (const line of body.split(LINE_END)) {
    // Vendors put markers of their own behind the trailer. A second beginning before it: the first file is cut off.
    if (complete || (lines.length > 0 && isBeginning(line, isOpen))) break
    isOpen = line.startsWith('ST*') || (isOpen && !line.startsWith('SE*'))
    lines.push(line)
    complete = /^\s*DXE\*/.test(line)
  }
  return { segments: lines.flatMap(toSegment), envelope, checksum: verify(lines), complete }
}

/** Also in the middle of a line that was cut off; `EADXS` is a segment of its own. `isOpen`: a set of segments has no end yet. */
const isBeginning = (line: string, isOpen: boolean): boolean =>
  /(?<!^EA)DXS\*/.test(line) || (isOpen && line.startsWith('ST*'))

function unwrap(raw: string): { readonly text: string; readonly envelope: Envelope } {
  if (!/^\s*\{/.test(raw)) return { text: raw, envelope: {} }
  try {
    const parsed: unknown = JSON.parse(Buffer.from(raw, 'latin1').toString('utf8'))
    const { DexData, OperatorIdentifier, MachineDate } = parsed as Readonly<Record<string, unknown>>
    if (typeof DexData !== 'string') return { text: '', envelope: {} }
    return {
      text: DexData,
      envelope: {
        ...(typeof OperatorIdentifier === 'string' ? { operatorIdentifier: OperatorIdentifier.trim() } : {}),
        ...(typeof MachineDate === 'string' ? { machineDate: MachineDate } : {}),
      },
    }
  } catch {
    // Not JSON after all; the file may still be inside.
    return { text: raw, envelope: {} }
  }
}

function toSegment(line: string): Segment[] {
  const [id = '', ...fields] = line.split('*')
  if (!/^[A-Z0-9]{2,8}$/.test(id.trim())) return []
  const toPlainText = (field: string) =>
    field.replaceAll(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))).trim()
  return [{ id: id.trim(), fields: fields.map(toPlainText) }]
}

/** Polynomial 0xA001 (reflected). A table, because the checksum is most of the work of reading a file. */
const CRC_TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xa001 : crc >>> 1
  return crc
})

/** CRC-16 with polynomial 0xA001, continued from the checksum of what is before `text`. */
export function crc16(text: string, before = 0): number {
  let crc = before
  for (let i = 0; i < text.length; i++) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ text.charCodeAt(i)) & 0xff] ?? 0)
  return crc
}

/**
 * G85 covers everything from ST to the line end before G85, with CRLF between lines whatever the file has now. Some
 * makers leave out the last line end, and editions before 6.0 allow the two bytes in either order.
 */
function verify(lines: readonly string[]): Checksum {
  const end = lines.findIndex((line) => line.startsWith('G85*'))
  if (end < 0) return 'absent'
  const stated = /^G85\*\s*([0-9A-Fa-f]{4})/.exec(lines[end] ?? '')?.[1]
  const start = lines.findIndex((line) => line.startsWith('ST*'))
  if (stated === undefined || start < 0 || start > end) return 'wrong'
  const covered = lines.slice(start, end).join('\r\n')
  const value = Number.parseInt(stated, 16)
  const swapped = ((value & 0xff) << 8) | (value >>> 8)
  const withoutLineEnd = crc16(covered)
  const sums = [crc16('\r\n', withoutLineEnd), withoutLineEnd]
  return sums.some((sum) => sum === value || sum === swapped) ? 'right' : 'wrong'
}
