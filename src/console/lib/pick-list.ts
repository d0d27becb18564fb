/** What goes into the van and into each machine, from the visits of a run. */
import type { DaySlot, DayVisit } from './device/day.ts'
import { sumOf } from './device/draft.ts'

interface PickLine {
  readonly id: string
  readonly title: string
  readonly source?: string
  readonly quantity: number
  /** What the slot holds afterwards, where it is known what it holds now; at most what fits. */
  readonly fillTo?: number
  readonly stock?: number
}

function fillToOf({ stock, capacity, quantity = 0 }: DaySlot): number | undefined {
  if (stock === undefined) return undefined
  return capacity === undefined ? stock + quantity : Math.max(stock, Math.min(capacity, stock + quantity))
}

/** The slots that a visit fills, in the order of the machine. */
export const pickLines = (visit: DayVisit): readonly PickLine[] =>
  visit.slots.flatMap((slot) => {
    const { id, title, source, quantity, stock } = slot
    if (quantity === undefined || quantity === 0) return []
    const fillTo = fillToOf(slot)
    return [
      {
        id,
        title,
        quantity,
        ...(source === undefined ? {} : { source }),
        ...(stock === undefined ? {} : { stock }),
        ...(fillTo === undefined ? {} : { fillTo }),
      },
    ]
  })

interface VanLine {
  readonly key: string
  readonly title: string
  readonly source?: string
  readonly units: number
  readonly machines: number
}

/** One line per product, by name. A supplier's item is one product, whatever the machines call it. */
export function vanLines(visits: readonly DayVisit[]): readonly VanLine[] {
  const lines = visits.flatMap((visit) => pickLines(visit).map((line) => ({ ...line, location: visit.location })))
  const products = Map.groupBy(lines, ({ source, title }) => source ?? title)
  return [...products]
    .map(([key, of]) => ({
      key,
      title: of[0]?.title ?? '',
      units: sumOf(of.map(({ quantity }) => quantity)),
      machines: new Set(of.map(({ location }) => location)).size,
      ...(of[0]?.source === undefined ? {} : { source: of[0].source }),
    }))
    .toSorted((a, b) => a.title.localeCompare(b.title))
}
