/** The slots of a machine, each with one large stepper for the step of the visit. */
import { useEffect, useRef } from 'preact/hooks'
import { type Draft, filledOf, levelAfter, REASONS, REASONS_WITH_STOREROOM } from './device/draft.ts'
import { returnedItemOf, setCounted, setFilled, setRemoved, setReturnedItem } from './device/draft.ts'
import type { DaySlot } from './device/day.ts'
import { doubtText, isAboveCapacity } from './doubtful-count.ts'
import { slotPlace } from '../machines/slot-place.ts'
import { textsOf } from '../../lib/text/i18n.ts'
import { hasStoreroom } from '../../lib/service/me.ts'
import { VISITS } from '../../locales/visits.ts'
import { Icon } from '../../ui/icon.tsx'
import { Picture } from '../../ui/picture.tsx'
import { Stepper } from '../../ui/form/stepper.tsx'

export type VisitMode = 'count' | 'fill' | 'remove'

interface Props {
  readonly slots: readonly DaySlot[]
  readonly mode: VisitMode
  readonly draft: Draft
  readonly change: (draft: Draft) => void
}

export const VisitSlots = ({ slots, ...rest }: Props) => (
  <ul class="visit-slots">
    {slots.map((slot) => (
      <SlotRow key={slot.id} slot={slot} {...rest} />
    ))}
  </ul>
)

type Item = NonNullable<DaySlot['takeBack']>['items'][number]

interface RowProps extends Omit<Props, 'slots'> {
  readonly slot: DaySlot
}

function valueOf({ slot, mode, draft }: RowProps): number | undefined {
  if (mode === 'count') return draft.counted[slot.id]
  return mode === 'fill' ? filledOf(draft, slot) : (draft.removed[slot.id]?.quantity ?? 0)
}

function draftWith({ slot, mode, draft }: RowProps, value: number | undefined): Draft {
  if (mode === 'count') return setCounted(draft, slot.id, value)
  return mode === 'fill' ? setFilled(draft, slot.id, value ?? 0) : setRemoved(draft, slot.id, value ?? 0)
}

function SlotRow(props: RowProps) {
  const t = textsOf(VISITS)
  const { slot, mode, draft, change } = props
  const { title, stock } = slot
  const value = valueOf(props)
  const differs =
    (mode === 'count' && value !== undefined && stock !== undefined && value !== stock) ||
    (mode === 'fill' && value !== slot.quantity) ||
    (mode === 'remove' && value !== 0)
  return (
    <li class={differs ? 'row differs' : 'row'}>
      <Picture sku={slot.sku} />
      <span class="slot-name">
        <span class="strong">{title}</span>
        <SlotFacts {...props} />
      </span>
      <span class="slot-entry">
        {mode === 'count' && stock !== undefined ? (
          <button
            type="button"
            class={`as-expected${value === stock ? ' on' : ''}`}
            aria-pressed={value === stock}
            aria-label={t.asExpected(title, stock)}
            onClick={() => change(setCounted(draft, slot.id, value === stock ? undefined : stock))}
          >
            <Icon name="check" size={20} />
          </button>
        ) : null}
        <Stepper
          value={value}
          from={mode === 'count' ? (stock ?? 0) : 0}
          label={`${t.value[mode]}: ${title}`}
          less={t.less(title)}
          more={t.more(title)}
          wrong={t.wrong}
          onChange={(next) => change(draftWith(props, next))}
        />
      </span>
      {mode === 'count' && value !== undefined && isAboveCapacity(value, slot.capacity) ? (
        <span class="toned bad doubt" role="alert">
          {doubtText({ product: title, counted: value, capacity: slot.capacity })}
        </span>
      ) : null}
      {mode === 'remove' && value !== 0 ? <Reasons {...props} /> : null}
      {mode === 'remove' && slot.takeBack && draft.removed[slot.id]?.reason === 'returned' ? (
        <ReturnedAs {...props} items={slot.takeBack.items} />
      ) : null}
    </li>
  )
}

function SlotFacts({ slot, mode, draft }: RowProps) {
  const t = textsOf(VISITS)
  const { id, stock, capacity, quantity } = slot
  const after = levelAfter(draft, slot)
  const over = capacity === undefined || after === undefined ? 0 : after - capacity
  // What the run brings and does not fit is left out unless somebody says otherwise.
  const left = draft.filled[id] === undefined && quantity !== undefined ? quantity - filledOf(draft, slot) : 0
  return (
    <span class="faint">
      {[
        slotPlace(id, slot),
        stock === undefined ? t.unknown : t.expected(stock),
        ...(mode === 'fill' && quantity !== undefined ? [t.bring(quantity)] : []),
        ...(mode === 'fill' && after !== undefined ? [t.after(after)] : []),
        ...(capacity === undefined ? [] : [t.holds(capacity)]),
      ].join(' · ')}
      {mode === 'fill' && Math.max(over, left) > 0 ? (
        <span class="toned warn"> · {t.tooMuch(Math.max(over, left))}</span>
      ) : null}
    </span>
  )
}

function Reasons({ slot, draft, change }: RowProps) {
  const t = textsOf(VISITS)
  const line = draft.removed[slot.id]
  return (
    <fieldset class="row reasons">
      <legend class="hidden">{t.reason(slot.title)}</legend>
      {(hasStoreroom() ? REASONS_WITH_STOREROOM : REASONS).map((reason) => (
        <label key={reason} class={reason === line?.reason ? 'chosen' : ''}>
          <input
            type="radio"
            name={`reason ${slot.id}`}
            checked={reason === line?.reason}
            onChange={() => change(setRemoved(draft, slot.id, line?.quantity ?? 1, reason))}
          />
          {t.reasons[reason]}
        </label>
      ))}
    </fieldset>
  )
}

/** Several products of suppliers fill the slot: which of them the units are. */
function ReturnedAs({ slot, draft, change, items }: RowProps & { readonly items: readonly Item[] }) {
  const t = textsOf(VISITS)
  const chosen = returnedItemOf(draft, slot)
  const question = useRef<HTMLFieldSetElement>(null)
  useEffect(() => {
    // The visit cannot be saved without an answer, and the foot of the page may cover the question.
    if (chosen === undefined) question.current?.scrollIntoView({ block: 'center' })
  }, [])
  return (
    <fieldset class="row reasons" ref={question}>
      <legend class={chosen === undefined ? 'toned warn' : 'faint'}>{t.returnedAs}</legend>
      {items.map(({ id, title }) => (
        <label key={id} class={id === chosen ? 'chosen' : ''}>
          <input
            type="radio"
            name={`returned ${slot.id}`}
            checked={id === chosen}
            onChange={() => change(setReturnedItem(draft, slot.id, id))}
          />
          {title}
          {id === slot.takeBack?.last_loaded ? <span class="faint"> · {t.lastLoaded}</span> : null}
        </label>
      ))}
    </fieldset>
  )
}
