/** A small PNG of a product: a bottle, can or bag in a colour of its own, so that a demo has pictures without other hosts. */
import { crc32, deflateSync } from 'node:zlib'
import { hash } from '../world/random.ts'

const SIZE = 96
const MIDDLE = SIZE / 2

type Shape = (x: number, y: number) => boolean

const isBetween = (n: number, from: number, to: number) => n >= from && n <= to

/** Of x, the distance from the middle; y from the top. */
const SHAPES: readonly Shape[] = [
  // A bottle.
  (x, y) =>
    (isBetween(y, 10, 26) && x <= 7) ||
    (isBetween(y, 26, 36) && x <= 7 + (y - 26)) ||
    (isBetween(y, 36, 86) && x <= 17),
  // A can.
  (x, y) => isBetween(y, 22, 82) && x <= 20 - Math.max(0, 26 - y) - Math.max(0, y - 78),
  // A bag.
  (x, y) => isBetween(y, 20, 80) && x <= 24 + Math.round(2 * Math.cos((y - 20) / 5)),
]

function colourOf(seed: number): readonly [number, number, number] {
  const hue = seed % 360
  const channel = (offset: number) => Math.round(150 + 70 * Math.cos(((hue - offset) * Math.PI) / 180))
  return [channel(0), channel(120), channel(240)]
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

export function productPicture(code: string): Buffer {
  const seed = hash(0, 'picture', code)
  const isInside = SHAPES[seed % SHAPES.length] as Shape
  const colour = colourOf(seed)
  const pixels = Buffer.alloc(SIZE * (1 + SIZE * 3))
  for (let y = 0; y < SIZE; y++)
    for (let x = 0; x < SIZE; x++) {
      const isLabel = isBetween(y, 48, 64)
      const pixel = isInside(Math.abs(x - MIDDLE), y)
        ? isLabel
          ? colour.map((part) => Math.round(part * 0.7))
          : colour
        : [238, 240, 243]
      pixels.set(pixel, y * (1 + SIZE * 3) + 1 + x * 3)
    }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(SIZE, 0)
  header.writeUInt32BE(SIZE, 4)
  // Eight bits a channel, red, green and blue.
  header.set([8, 2], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
