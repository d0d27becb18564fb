/** What the delivery of a run brought. The first stop that is saved says so for the whole run. */
import type { StopReceiveRequest } from '../../../../contract/shapes/service.ts'
import { type Came, leftOf } from '../../runs/run-line.ts'
import { deliveredOf } from '../../storeroom/came-list.tsx'
import { type ConfirmedProduct, expectedProducts } from '../../storeroom/storeroom.ts'
import { type DayVisit, day } from './day.ts'
import type { Draft } from './draft.ts'
import { presses } from './presses.ts'

interface Delivery {
  /** To be asked about; none once it was booked in, or another stop of this device said what came. */
  readonly asked: readonly ConfirmedProduct[]
  /** What there is for the slots of this stop; undefined: what the run brings. */
  readonly came: Came | undefined
  /** What this stop states. */
  readonly stated: Came | undefined
  /** False while something typed is no number. */
  readonly isReadable: boolean
}

export function deliveryAt({ run, location }: DayVisit, draft: Draft): Delivery {
  const list = day.value?.pickLists.find((each) => each.run === run)
  const products = run === undefined ? [] : expectedProducts(list)
  const known = { asked: [], came: undefined, stated: undefined, isReadable: true }
  if (products.length === 0) return known
  const saved = savedStops(run, location)
  if (saved.length > 0) {
    const first = saved.find(({ came }) => came !== undefined)?.came
    return {
      ...known,
      came:
        first &&
        leftOf(
          first,
          saved.flatMap(({ loads }) => loads),
        ),
    }
  }
  const stated = draft.came && deliveredOf(products, draft.came)
  return { asked: products, came: stated, stated, isReadable: draft.came === undefined || stated !== undefined }
}

/** Other stops of the run that were saved here since the day was read. */
function savedStops(run: string | undefined, location: string) {
  const visits = day.value?.visits.filter((visit) => visit.run === run) ?? []
  return presses.value.flatMap((press) => {
    if (press.kind !== 'receive' || press.run !== run || press.location === location) return []
    if (press.undone === true || press.state === 'refused') return []
    const { delivered, came } = press.body as StopReceiveRequest
    const slots = new Map(
      visits.find((visit) => visit.location === press.location)?.slots.map((slot) => [slot.id, slot]),
    )
    return [
      {
        came,
        loads: delivered.map(({ slot_id: slot, quantity: units }) => {
          const { source, stored } = slots.get(slot) ?? {}
          return { slot, source, stored, units }
        }),
      },
    ]
  })
}
