/**
 * Units that a visit brings back for another machine go to the open lines that were planned with them, in its transaction.
 * Without such a line they lie in the store room like all others.
 */
import type { SkuId } from '../../../kernel/ids.ts'
import type { Tx } from '../../../store/store.ts'
import type { Service } from '../../../route/locations/index.ts'
import { listOpenRuns, writePlacedLines } from '../runs/records.ts'
import { type FromStoreroom, type Run, type RunLine, missingUnits, storeroomUnits, unitsToBuy } from '../runs/run.ts'
import { reserveOpenStops } from './book-receipt.ts'

/** The oldest run first. Call `incrementRunsVersion` first. */
export const giveToOpenLines = (tx: Tx, service: Service): Promise<void> =>
  changeOpenLines(tx, service, ({ line, units }) => Math.min(units, missingUnits(line)))

/** When the visit is undone. What was loaded into the other machine meanwhile stays there. */
export const takeFromOpenLines = (tx: Tx, service: Service): Promise<void> =>
  changeOpenLines(tx, service, ({ line, supply, units }) =>
    line.bought === undefined ? 0 : -Math.min(units, line.fromStoreroom?.[supply] ?? 0),
  )

interface Returned {
  readonly line: RunLine
  readonly supply: SkuId
  readonly units: number
}

/** `changeOf`: how many more units of the supply product a line gets, or fewer. */
async function changeOpenLines(tx: Tx, service: Service, changeOf: (of: Returned) => number): Promise<void> {
  const returned = service.slots.flatMap(({ returned: some = [] }) =>
    some.map(({ quantity, supplySku }) => ({ supply: supplySku, left: quantity })),
  )
  if (returned.length === 0) return
  for (const run of await listOpenRuns(tx)) {
    const changed: RunLine[] = []
    for (const line of openLines(run)) {
      if (line.location === service.location) continue
      for (const each of returned) {
        if (each.left === 0 || line.source !== each.supply) continue
        const change = changeOf({ line, supply: each.supply, units: each.left })
        if (change === 0) continue
        each.left -= Math.abs(change)
        changed.push(withUnits(line, each.supply, change))
        break
      }
    }
    if (changed.length === 0) continue
    await writePlacedLines(tx, run.id, changed)
    const lines = run.lines.map((line) => changed.find(({ n }) => n === line.n) ?? line)
    await reserveOpenStops(tx, { ...run, lines })
  }
}

const openLines = ({ lines }: Run): RunLine[] =>
  lines.filter(({ removed, deliveredAt }) => removed === undefined && deliveredAt === undefined)

function withUnits({ fromStoreroom: before, ...line }: RunLine, supply: SkuId, units: number): RunLine {
  const bought = unitsToBuy({ ...line, ...(before && { fromStoreroom: before }) })
  const after: FromStoreroom = { ...before, [supply]: (before?.[supply] ?? 0) + units }
  return { ...line, bought, ...(storeroomUnits({ fromStoreroom: after }) > 0 && { fromStoreroom: after }) }
}
