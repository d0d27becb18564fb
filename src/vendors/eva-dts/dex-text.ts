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

/** One transmission: what a machine answered when it was read once. */
export interface DexText {
  readonly segments: readonly Segment[]
  readonly envelope: Envelope
  readonly checksum: Checksum
  /** The checksum as the file states it, in upper case; undefined where it states none. */
  readonly statedChecksum: string | undefined
  /** False when the file ends, or another transmission begins, before its trailer. */
  readonly complete: boolean
}

const START = /(?:^|[\r\n>|])((?:DXS|ST)\*)/
/** A logger that appends every hour writes as many in three weeks. One more is returned, so that the limit can be noticed. */
export const TRANSMISSIONS_MAX = 500
/** The byte order mark of UTF-8, as Latin-1. */
const UTF8_MARK = /^\u00EF\u00BB\u00BF/
const LINE_END = /\r\n|\n|\r/g
const ESCAPE = /\^([0-9A-Fa-f]{2})\^/g

/** Handhelds and loggers append one transmission to the other. Empty when there is none. */
export function readDexTexts(bytes: Uint8Array): readonly DexText[] {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1').replace(UTF8_MARK, '')
  const { text, envelope } = unwrap(raw)
  const texts: DexText[] = []
  let rest = text
  for (let found = START.exec(rest); found?.[1] && texts.length <= TRANSMISSIONS_MAX; found = START.exec(rest)) {
    const { lines, complete, behind } = takeTransmission(rest.slice(found.index + found[0].length - found[1].length))
    const checksum = verify(lines)
    texts.push({ segments: lines.flatMap(toSegment), envelope, ...checksum, complete })
    rest = behind
  }
  return texts
}

/** `body` begins with the first line of the transmission. */
function takeTransmission(body: string) {
  const lines: string[] = []
  const hasStart = body.startsWith('DXS*')
  let isOpen = false
  let hasSet = false
  let at = 0
  while (at < body.length) {
    const [end, next] = endOfLine(body, at)
    const line = body.slice(at, end)
    // A second beginning before the trailer: this transmission is cut off, maybe in the middle of a line.
    const cut = lines.length === 0 ? -1 : line.search(/(?<!^EA)DXS\*/)
    if (cut >= 0) return { lines: [...lines, line.slice(0, cut)], complete: false, behind: body.slice(at + cut) }
    // Without DXS a transmission is one set; with it, it may have several.
    if (line.startsWith('ST*') && (isOpen || (hasSet && !hasStart)))
      return { lines, complete: false, behind: body.slice(at) }
    isOpen = line.startsWith('ST*') || (isOpen && !line.startsWith('SE*'))
    hasSet ||= isOpen
    lines.push(line)
    at = next
    if (/^\s*DXE\*/.test(line)) return { lines, complete: true, behind: body.slice(at) }
  }
  return { lines, complete: false, behind: '' }
}

/** Where the line that begins at `from` ends, and where the next one begins. */
function endOfLine(text: string, from: number): readonly [number, number] {
  LINE_END.lastIndex = from
  const found = LINE_END.exec(text)
  return found ? [found.index, LINE_END.lastIndex] : [text.length, text.length]
}

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
function verify(lines: readonly string[]): Pick<DexText, 'checksum' | 'statedChecksum'> {
  const end = lines.findIndex((line) => line.startsWith('G85*'))
  if (end < 0) return { checksum: 'absent', statedChecksum: undefined }
  const stated = /^G85\*\s*([0-9A-Fa-f]{4})/.exec(lines[end] ?? '')?.[1]?.toUpperCase()
  const start = lines.findIndex((line) => line.startsWith('ST*'))
  if (stated === undefined || start < 0 || start > end) return { checksum: 'wrong', statedChecksum: undefined }
  const covered = lines.slice(start, end).join('\r\n')
  const value = Number.parseInt(stated, 16)
  const swapped = ((value & 0xff) << 8) | (value >>> 8)
  const withoutLineEnd = crc16(covered)
  const sums = [crc16('\r\n', withoutLineEnd), withoutLineEnd]
  const isRight = sums.some((sum) => sum === value || sum === swapped)
  return { checksum: isRight ? 'right' : 'wrong', statedChecksum: stated }
}
