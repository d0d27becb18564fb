/** Positions of machines on a plain canvas, without any map service. Pure. */

export interface Position {
  readonly latitude: number
  readonly longitude: number
}

export interface Point {
  readonly x: number
  readonly y: number
}

const METRES_PER_DEGREE = 111_320
/** A single machine, or several at one address, are not magnified without end. */
const LEAST_METRES = 400
const ROUND = [50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000]

/** North is up; distances are right near the middle of the route. */
export function projectMachines(
  positions: readonly Position[],
  size: { readonly width: number; readonly height: number; readonly margin: number },
) {
  const latitudes = positions.map(({ latitude }) => latitude)
  const longitudes = positions.map(({ longitude }) => longitude)
  const middle = {
    latitude: (Math.min(...latitudes) + Math.max(...latitudes)) / 2,
    longitude: (Math.min(...longitudes) + Math.max(...longitudes)) / 2,
  }
  const shrink = Math.cos((middle.latitude * Math.PI) / 180)
  const metres = positions.map(({ latitude, longitude }) => ({
    east: (longitude - middle.longitude) * METRES_PER_DEGREE * shrink,
    north: (latitude - middle.latitude) * METRES_PER_DEGREE,
  }))
  const reach = (values: readonly number[]) => Math.max(LEAST_METRES, 2 * Math.max(0, ...values.map(Math.abs)))
  const perMetre = Math.min(
    (size.width - 2 * size.margin) / reach(metres.map(({ east }) => east)),
    (size.height - 2 * size.margin) / reach(metres.map(({ north }) => north)),
  )
  const shown = ROUND.findLast((one) => one * perMetre <= size.width / 4) ?? ROUND[0]!
  return {
    points: spreadOut(
      metres.map(({ east, north }) => ({
        x: size.width / 2 + east * perMetre,
        y: size.height / 2 - north * perMetre,
      })),
    ),
    /** A round distance, and its length on the canvas. */
    scale: { metres: shown, length: shown * perMetre },
  }
}

const APART = 16

/** Machines at one address are placed around it, so that each can be pressed. */
function spreadOut(points: readonly Point[]): readonly Point[] {
  const taken = new Map<string, number>()
  return points.map(({ x, y }) => {
    const key = `${Math.round(x / APART)} ${Math.round(y / APART)}`
    const n = taken.get(key) ?? 0
    taken.set(key, n + 1)
    if (n === 0) return { x, y }
    const angle = n * 2.4
    const distance = APART * Math.sqrt(n)
    return { x: x + distance * Math.cos(angle), y: y + distance * Math.sin(angle) }
  })
}

/** Opens the navigation of the phone: Apple devices know no `geo:` addresses. */
export const navigationLink = (
  { latitude, longitude }: Position,
  name: string,
  isApple = /Mac|iPhone|iPad/.test(navigator.platform),
): string => {
  const at = `${latitude},${longitude}`
  return isApple
    ? `https://maps.apple.com/?daddr=${at}&q=${encodeURIComponent(name)}`
    : `geo:${at}?q=${at}(${encodeURIComponent(name)})`
}

export interface Label {
  readonly x: number
  readonly y: number
  readonly anchor: 'start' | 'middle' | 'end'
}

interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

const DOT = 9
const TEXT_HEIGHT = 15
/** A wide character is as wide as the text is high. */
const widthOf = (text: string): number =>
  Array.from(text).reduce((sum, letter) => sum + ((letter.codePointAt(0) ?? 0) > 0x2e80 ? 13 : 7.5), 0)

const isOver = (a: Box, b: Box): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom

/** Where each name fits without covering a machine or another name, in the order given; undefined where it does not. */
export function placeLabels(
  points: readonly Point[],
  names: readonly string[],
  size: { readonly width: number; readonly height: number },
): readonly (Label | undefined)[] {
  const taken: Box[] = points.map(({ x, y }) => ({ left: x - DOT, right: x + DOT, top: y - DOT, bottom: y + DOT }))
  return points.map(({ x, y }, i) => {
    const width = widthOf(names[i] ?? '')
    const places: readonly (Label & { readonly left: number })[] = [
      { x: x + 13, y: y + 5, anchor: 'start', left: x + 12 },
      { x: x - 13, y: y + 5, anchor: 'end', left: x - 14 - width },
      { x, y: y - 13, anchor: 'middle', left: x - width / 2 },
      { x, y: y + 23, anchor: 'middle', left: x - width / 2 },
    ]
    for (const { left, ...label } of places) {
      const box = { left, right: left + width, top: label.y - TEXT_HEIGHT + 3, bottom: label.y + 3 }
      const isInside = box.left >= 0 && box.right <= size.width && box.top >= 0 && box.bottom <= size.height
      if (!isInside || taken.some((other) => isOver(box, other))) continue
      taken.push(box)
      return label
    }
    return undefined
  })
}
