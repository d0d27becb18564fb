/**
 * The parts of a zip archive, unpacked piece by piece: a few kilobytes may stand for gigabytes, so nothing is unpacked before
 * it is needed, and no more than a limit. Only what spreadsheet programs write is read; everything else is refused.
 */
import { crc32 } from 'node:zlib'
import { Inflate } from 'fflate'

/** Why a workbook cannot be read, as a sentence for people. */
export class UnreadableWorkbook extends Error {}

/** Of one part. A list of 200,000 rows with ten cells each has 100 MB. */
const UNPACKED_MAX = 200 * 1024 * 1024
/** Workbooks have a few dozen parts. */
const PARTS_MAX = 10_000
/** One byte unpacks to at most a thousand, so a piece takes 8 MB at worst. */
const PIECE_BYTES = 8 * 1024

const END = 0x06_05_4b_50
const END_BYTES = 22
const COMMENT_MAX = 0xff_ff
const ENTRY = 0x02_01_4b_50
const LOCAL = 0x04_03_4b_50
const ZIP64_EXTRA = 0x00_01
const IN_ZIP64 = 0xff_ff_ff_ff
const STORED = 0
const DEFLATED = 8

const damaged = (): UnreadableWorkbook => new UnreadableWorkbook('the workbook is damaged or was not copied completely')

interface Entry {
  readonly method: number
  readonly isEncrypted: boolean
  readonly crc: number
  readonly packed: number
  readonly unpacked: number
  readonly start: number
}

export interface Archive {
  has(name: string): boolean
  /** Hands over the bytes of a part, piece by piece. Throws UnreadableWorkbook. */
  unpack(name: string, onPiece: (bytes: Uint8Array) => void): void
}

export function openArchive(bytes: Uint8Array): Archive {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const entries = readDirectory(bytes, view)
  return {
    has: (name) => entries.has(name),
    unpack(name, onPiece) {
      const entry = entries.get(name)
      if (!entry) throw new UnreadableWorkbook(`the workbook has no part ${name}`)
      if (entry.unpacked > UNPACKED_MAX)
        throw new UnreadableWorkbook(
          `a part of the workbook has more than ${UNPACKED_MAX / 1024 / 1024} MB when it is unpacked`,
        )
      let crc = 0
      let size = 0
      const take = (piece: Uint8Array) => {
        size += piece.length
        if (size > entry.unpacked) throw damaged()
        crc = crc32(piece, crc)
        if (piece.length > 0) onPiece(piece)
      }
      unpackEntry(packedBytes(bytes, view, entry), entry.method, take)
      if (crc !== entry.crc || size !== entry.unpacked) throw damaged()
    },
  }
}

function unpackEntry(packed: Uint8Array, method: number, take: (piece: Uint8Array) => void): void {
  const inflate = method === DEFLATED ? new Inflate(take) : undefined
  for (let at = 0; at < packed.length; at += PIECE_BYTES) {
    const piece = packed.subarray(at, at + PIECE_BYTES)
    if (!inflate) take(piece)
    else
      try {
        inflate.push(piece, at + PIECE_BYTES >= packed.length)
      } catch (error) {
        throw isFlateError(error) ? damaged() : error
      }
  }
}

/** The library throws errors with a number as their code. */
const isFlateError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'number'

function packedBytes(bytes: Uint8Array, view: DataView, { start, packed, method, isEncrypted }: Entry): Uint8Array {
  if (isEncrypted) throw new UnreadableWorkbook('the workbook is protected by a password; save it without one')
  if (method !== STORED && method !== DEFLATED)
    throw new UnreadableWorkbook('the workbook is packed in a way that is not read; save it again')
  if (start + 30 > bytes.length || view.getUint32(start, true) !== LOCAL) throw damaged()
  const from = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true)
  if (from + packed > bytes.length) throw damaged()
  return bytes.subarray(from, from + packed)
}

function readDirectory(bytes: Uint8Array, view: DataView): ReadonlyMap<string, Entry> {
  const end = findEnd(view)
  const count = view.getUint16(end + 10, true)
  let at = view.getUint32(end + 16, true)
  if (count > PARTS_MAX) throw new UnreadableWorkbook(`the workbook has more than ${PARTS_MAX} parts`)
  const entries = new Map<string, Entry>()
  for (let i = 0; i < count; i += 1) {
    if (at + 46 > end || view.getUint32(at, true) !== ENTRY) throw damaged()
    const nameEnd = at + 46 + view.getUint16(at + 28, true)
    const extraEnd = nameEnd + view.getUint16(at + 30, true)
    const next = extraEnd + view.getUint16(at + 32, true)
    if (next > end) throw damaged()
    const name = new TextDecoder().decode(bytes.subarray(at + 46, nameEnd)).replaceAll('\\', '/')
    // Two parts of one name: readers differ in which one counts.
    if (entries.has(name)) throw new UnreadableWorkbook('the workbook has two parts with the same name')
    entries.set(name, readEntry(view, at, { nameEnd, extraEnd }))
    at = next
  }
  return entries
}

function findEnd(view: DataView): number {
  const least = Math.max(0, view.byteLength - END_BYTES - COMMENT_MAX)
  for (let at = view.byteLength - END_BYTES; at >= least; at -= 1) if (view.getUint32(at, true) === END) return at
  throw damaged()
}

/** Some programs state sizes with eight bytes in any case; then they stand in an extra field, in this order. */
function readEntry(
  view: DataView,
  at: number,
  { nameEnd, extraEnd }: { readonly nameEnd: number; readonly extraEnd: number },
): Entry {
  let wide = findZip64(view, nameEnd, extraEnd)
  const sizeAt = (place: number): number => {
    const size = view.getUint32(place, true)
    if (size !== IN_ZIP64) return size
    if (wide === undefined || wide + 8 > extraEnd) throw damaged()
    const large = view.getBigUint64(wide, true)
    wide += 8
    if (large > BigInt(Number.MAX_SAFE_INTEGER)) throw damaged()
    return Number(large)
  }
  const unpacked = sizeAt(at + 24)
  const packed = sizeAt(at + 20)
  const start = sizeAt(at + 42)
  return {
    method: view.getUint16(at + 10, true),
    isEncrypted: (view.getUint16(at + 8, true) & 1) === 1,
    crc: view.getUint32(at + 16, true),
    packed,
    unpacked,
    start,
  }
}

function findZip64(view: DataView, from: number, to: number): number | undefined {
  for (let at = from; at + 4 <= to; at += 4 + view.getUint16(at + 2, true))
    if (view.getUint16(at, true) === ZIP64_EXTRA) return at + 4
  return undefined
}
