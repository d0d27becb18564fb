/** What a driver takes out of a machine for another one. */
import type { PickStop } from '../../../contract/shapes/pick-list.ts'
import { dayText } from '../../lib/text/format.ts'
import { textsOf } from '../../lib/text/i18n.ts'
import { VISITS } from '../../locales/visits.ts'
import { slotPlace } from '../machines/slot-place.ts'

export const moveText = (move: NonNullable<PickStop['moves']>[number]): string =>
  textsOf(VISITS).moves.take(
    slotPlace(move.slot_id, move),
    move.item.title,
    move.quantity,
    move.to.name,
    dayText(move.sell_before),
  )
