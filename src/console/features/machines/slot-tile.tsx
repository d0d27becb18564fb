/** One slot as it stands in its machine: the product, how full it is, and what is wrong. A press opens it. */
import type { Variant } from '../../../contract/shapes/catalog.ts'
import type { PlanEntry } from '../../../contract/shapes/replenishment.ts'
import { type StockState, stockState } from '../../../kernel/stock-state.ts'
import { count, money } from '../../lib/text/format.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { seesMoney } from '../../lib/service/me.ts'
import { Icon } from '../../ui/icon.tsx'
import { Picture } from '../../ui/picture.tsx'
import { Bar } from '../../ui/value.tsx'
import { STOCK_TONE } from './health.ts'
import { type Shelf, shelvesOf, slotPlace } from './slot-place.ts'

export interface Slot {
  readonly variant: Variant
  readonly plan: PlanEntry | undefined
}

export const slotState = ({ variant, plan }: Slot): StockState =>
  stockState(variant.inventory?.stock ?? null, plan?.days_of_cover)

export const slotIdOf = ({ variant }: Slot): string => variant.inventory?.slot_id ?? variant.id

const placedAs = ({ variant, plan }: Slot) => ({ position: variant.inventory?.position, lane: plan?.lane })

/** Where a person finds it in the machine. */
export const placeOf = (slot: Slot): string => slotPlace(slotIdOf(slot), placedAs(slot))

/** `3 / 9`, or what is known of it. */
export function stockText({ inventory }: Variant): string {
  const { stock = null, capacity } = inventory ?? {}
  const t = texts().machine
  if (stock === null) return '?'
  return capacity ? t.stockOf(count(stock), count(capacity)) : count(stock)
}

/** Without a known capacity it is full at the target stock of the plan. */
function fillOf({ variant, plan }: Slot): number {
  const { stock, capacity } = variant.inventory ?? {}
  const full = capacity ?? Math.max(stock ?? 0, plan?.target ?? 0)
  return full > 0 ? (stock ?? 0) / full : 0
}

interface Props {
  readonly slots: readonly Slot[]
  readonly onOpen: (slot: Slot) => void
}

/** The machine from above to below, each shelf from left to right. */
export const Shelves = ({ slots, onOpen }: Props) => {
  const shelves = shelvesOf(slots, (slot) => ({ ...placedAs(slot), id: slotIdOf(slot) }))
  return (
    <div class="machine-front">
      {shelves.map((shelf) => (
        <ShelfRow key={shelf.row ?? ''} shelf={shelf} onOpen={onOpen} />
      ))}
    </div>
  )
}

interface ShelfProps extends Pick<Props, 'onOpen'> {
  readonly shelf: Shelf<Slot>
}

const ShelfRow = ({ shelf: { row, columns, slots }, onOpen }: ShelfProps) => (
  <div class="shelf">
    {row === undefined ? null : (
      <b class="faint" aria-hidden="true">
        {row}
      </b>
    )}
    <ul class={columns === undefined ? 'loose' : ''} style={columns === undefined ? {} : { '--columns': columns }}>
      {slots.map((slot) => (
        <li
          key={slotIdOf(slot)}
          style={columns === undefined ? {} : { '--column': slot.variant.inventory?.position?.column }}
        >
          <SlotTile slot={slot} onOpen={onOpen} />
        </li>
      ))}
    </ul>
  </div>
)

function SlotTile({ slot, onOpen }: { readonly slot: Slot; readonly onOpen: (slot: Slot) => void }) {
  const { variant, plan } = slot
  const { inventory, title, price } = variant
  const state = slotState(slot)
  const quantity = plan?.recommendation.action === 'order' ? plan.recommendation.quantity : undefined
  return (
    <button
      type="button"
      class={`slot-tile ${STOCK_TONE[state]} ${state}${inventory?.locked ? ' locked' : ''}`}
      aria-haspopup="dialog"
      onClick={() => onOpen(slot)}
    >
      <span class="slot-head">
        <span class="faint">{placeOf(slot)}</span>
        {inventory?.locked ? <Icon name="lock" size={13} /> : null}
        {quantity ? <span class="slot-bring">+{count(quantity)}</span> : null}
      </span>
      <Picture sku={variant.id} />
      <span class="slot-name">{title}</span>
      <Bar share={fillOf(slot)} tone={STOCK_TONE[state]} />
      <span class="slot-foot">
        <span class="number">{state === 'empty' ? words().empty : stockText(variant)}</span>
        {state === 'empty' ? null : <span class="hidden">{texts().machine.states[state]}</span>}
        {seesMoney() ? <span class="faint">{money(price.amount, price.currency)}</span> : null}
      </span>
    </button>
  )
}
