/**
 * Room for answers, lent and taken back. An answer is put together from pieces, sent, and forgotten; taking fresh memory for
 * each leaves it lying outside the heap until the next full cleaning. Given back only when the system has taken every byte.
 */
const ROOM_BYTES = 64 * 1024
const KEPT = 32

export class Lending {
  readonly #free: Buffer[] = []

  /** The pieces one after the other, in room to be given back, or undefined where they are too long for it. */
  join(pieces: readonly Uint8Array[], length: number): Buffer | undefined {
    if (length > ROOM_BYTES) return undefined
    const room = this.#free.pop() ?? Buffer.allocUnsafeSlow(ROOM_BYTES)
    let at = 0
    for (const piece of pieces) {
      room.set(piece, at)
      at += piece.length
    }
    return room.subarray(0, length)
  }

  giveBack(joined: Buffer): void {
    if (this.#free.length < KEPT) this.#free.push(Buffer.from(joined.buffer))
  }
}
