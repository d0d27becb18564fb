/**
 * Takes a machine's text apart: goods, block, length and what was joined of them, over and over, with a space between. By
 * hand and by character code, because splitting and making a number of each part takes several times as long.
 */
import { blockStart } from '../../sales/index.ts'
import type { PlanSlot } from './records.ts'

/** Never part of the name of goods that stand in a slot. */
export const GAP = ' '

const SPACE = 32
export const COMMA = 44
export const MINUS = 45
export const ZERO = 48
export const COLON = 58

/** Slots by machine and goods. */
export type Shelves = ReadonlyMap<string, ReadonlyMap<string, PlanSlot>>

export function shelvesOf(locations: readonly string[], slots: readonly PlanSlot[]): Shelves {
  const shelves = new Map(locations.map((location) => [location, new Map<string, PlanSlot>()]))
  for (const slot of slots) shelves.get(slot.location)?.set(slot.vendorSku, slot)
  return shelves
}

export type Codes = Uint8Array | Uint16Array

/** The numbers of one slot and block: from where to where they stand, and what they count from. */
export interface Chunk {
  readonly slot: PlanSlot
  readonly start: number
  readonly from: number
  readonly to: number
}

/** Slot by slot, each in order of time; those whose slot is gone are left out. */
export function forEachRecord(
  rows: readonly { readonly location: string; readonly told: string }[],
  shelves: Shelves,
  take: (codes: Codes, chunk: Chunk, isLastOfSlot: boolean) => void,
): void {
  const codesOf = coder()
  for (const { location, told } of rows) {
    const shelf = shelves.get(location)
    if (!shelf) continue
    const codes = codesOf(told)
    const chunks = inOrder(chunksOf(told, codes, shelf))
    for (let i = 0; i < chunks.length; i++) take(codes, chunks[i]!, chunks[i + 1]?.slot !== chunks[i]!.slot)
  }
}

function chunksOf(told: string, codes: Codes, shelf: ReadonlyMap<string, PlanSlot>): Chunk[] {
  const chunks: Chunk[] = []
  for (let i = 0; i < told.length;) {
    const name = i
    while (codes[i] !== SPACE) i++
    const slot = shelf.get(told.slice(name, i))
    let block = 0
    for (i++; codes[i] !== SPACE; i++) block = block * 10 + codes[i]! - ZERO
    let length = 0
    for (i++; codes[i] !== SPACE; i++) length = length * 10 + codes[i]! - ZERO
    const from = i + 1
    const to = from + length
    if (slot) chunks.push({ slot, start: blockStart(block), from, to })
    i = to + 1
  }
  return chunks
}

/** Databases promise no order in a joined text; mostly it is the index's, and then sorting is not needed. */
function inOrder(chunks: Chunk[]): Chunk[] {
  for (let i = 1; i < chunks.length; i++) if (byTime(chunks[i - 1]!, chunks[i]!) > 0) return chunks.toSorted(byTime)
  return chunks
}

const byTime = (a: Chunk, b: Chunk): number =>
  a.slot === b.slot ? a.start - b.start : a.slot.slotId < b.slot.slotId ? -1 : 1

/** A text as numbers at the same places; bytes where its letters allow it, in memory that is used again. */
function coder(): (text: string) => Codes {
  const encoder = new TextEncoder()
  let bytes = new Uint8Array(1 << 15)
  return (text) => {
    if (bytes.length < text.length) bytes = new Uint8Array(2 * text.length)
    const { read, written } = encoder.encodeInto(text, bytes)
    if (read === text.length && written === text.length) return bytes
    return Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i))
  }
}
