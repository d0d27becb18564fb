/** Positions of machines on a plain canvas, without any map service. Pure. */

export interface Position {
  readonly latitude: number
  readonly longitude: number
}

export interface Point {
  readonly x: number
  readonly y: number
}

export interface Canvas {
  readonly points: readonly Point[]
  /** A round distance, and its length on the canvas. */
  readonly scale: { readonly metres: number; readonly length: number }
}

const METRES_PER_DEGREE = 111_320
/** A single machine, or several at one address, are not magnified without end. */
const LEAST_METRES = 400
const ROUND = [50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000]

/** North is up; distances are right near the middle of the route. */
export function projectMachines(
  positions: readonly Position[],
  size: { readonly width: number; readonly height: number; readonly margin: number },
): Canvas {
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
export const navigationLink = ({ latitude, longitude }: Position, name: string, isApple: boolean): string => {
  const at = `${latitude},${longitude}`
  return isApple
    ? `https://maps.apple.com/?daddr=${at}&q=${encodeURIComponent(name)}`
    : `geo:${at}?q=${at}(${encodeURIComponent(name)})`
}
