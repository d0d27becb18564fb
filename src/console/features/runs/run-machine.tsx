/** One machine of a run that is being put together: whether it is visited, and the quantity for each slot. */
import { useState } from 'preact/hooks'
import type { PlanEntry } from '../../../contract/shapes/replenishment.ts'
import { textsOf, texts } from '../../lib/text/i18n.ts'
import { type RunDraft, isAdjustable, plannedUnits, unitsOf, withMachine, withQuantity } from './run-draft.ts'
import { NEW_RUN } from '../../locales/new-run.ts'
import { Badge } from '../../ui/value.tsx'
import { Icon } from '../../ui/icon.tsx'
import { QuantityInput } from '../../ui/form/quantity-input.tsx'

interface Props {
  readonly id: string
  readonly name: string
  readonly entries: readonly PlanEntry[]
  readonly isDue: boolean
  readonly draft: RunDraft
  readonly onChange: (draft: RunDraft) => void
  /** Lines are shown without a press. */
  readonly startOpen: boolean
}

export function RunMachine({ id, name, entries, isDue, draft, onChange, startOpen }: Props) {
  const t = textsOf(NEW_RUN)
  const [open, setOpen] = useState(startOpen)
  const [all, setAll] = useState(false)
  const isChosen = draft.machines.has(id)
  const adjustable = entries.filter(isAdjustable)
  const isPart = (entry: PlanEntry) => plannedUnits(entry) > 0 || unitsOf(draft, entry) > 0
  const shown = all ? adjustable : adjustable.filter(isPart)
  const others = adjustable.length - adjustable.filter(isPart).length
  const brought = adjustable.filter((entry) => unitsOf(draft, entry) > 0)
  const units = brought.reduce((sum, entry) => sum + unitsOf(draft, entry), 0)
  const changes = adjustable.filter(({ slot_id: slot }) => draft.quantities.has(slot)).length
  return (
    <section class={`card flush run-machine${isChosen ? '' : ' unchosen'}`} aria-label={name}>
      <div class="row run-machine-head">
        <label class="line run-machine-choice">
          <input
            type="checkbox"
            checked={isChosen}
            aria-label={t.include(name)}
            onChange={(event) => onChange(withMachine(draft, id, event.currentTarget.checked))}
          />
          <h2>{name}</h2>
        </label>
        <Badge tone={isDue ? 'info' : 'calm'}>{isDue ? t.isDue : t.notDue}</Badge>
        {changes > 0 && isChosen ? <Badge tone="warn">{t.changed(changes)}</Badge> : null}
        <button type="button" class="run-machine-open" aria-expanded={open} onClick={() => setOpen(!open)}>
          <span>{brought.length === 0 ? t.nothing : t.summary(units, brought.length)}</span>
          <Icon name={open ? 'up' : 'down'} size={15} />
          <span class="hidden">{t.lines(name)}</span>
        </button>
      </div>
      {open ? (
        <>
          <ul class="count-list">
            {shown.map((entry) => (
              <Line key={entry.slot_id} entry={entry} draft={draft} onChange={onChange} isOff={!isChosen} />
            ))}
          </ul>
          {others > 0 || all ? (
            <p class="run-machine-more">
              <button type="button" class="linklike" onClick={() => setAll(!all)} aria-pressed={all}>
                {all ? t.hideOthers : t.others(others)}
              </button>
            </p>
          ) : null}
        </>
      ) : null}
    </section>
  )
}

interface LineProps extends Pick<Props, 'draft' | 'onChange'> {
  readonly entry: PlanEntry
  readonly isOff: boolean
}

function Line({ entry, draft, onChange, isOff }: LineProps) {
  const t = textsOf(NEW_RUN)
  const { title } = entry.item
  const units = unitsOf(draft, entry)
  const planned = plannedUnits(entry)
  const set = (next: number) => onChange(withQuantity(draft, entry, next))
  const isFull = entry.room !== undefined && units >= entry.room
  return (
    <li class={units === planned || isOff ? 'line' : 'line differs'}>
      <span class="run-line-item">
        {title}
        <span class="faint">
          {' · '}
          {t.stock(entry.capacity ? `${entry.stock}/${entry.capacity}` : `${entry.stock}`)}
          {' · '}
          {t.planned(planned)}
          {entry.from_storeroom ? ` · ${texts().plan.fromStoreroom(entry.from_storeroom)}` : ''}
          {isFull && entry.room !== undefined ? ` · ${t.most(entry.room)}` : ''}
        </span>
      </span>
      <span class="row run-line-quantity">
        {units === planned ? (
          planned === 0 ? null : (
            <button
              type="button"
              class="linklike"
              disabled={isOff}
              aria-label={t.leaveOutOf(title)}
              onClick={() => set(0)}
            >
              {t.leaveOut}
            </button>
          )
        ) : (
          <button
            type="button"
            class="linklike"
            disabled={isOff}
            aria-label={t.restoreOf(title)}
            onClick={() => set(planned)}
          >
            {t.restore}
          </button>
        )}
        <span class="stepper">
          <button
            type="button"
            disabled={isOff || units === 0}
            onClick={() => set(units - 1)}
            aria-label={t.less(title)}
          >
            −
          </button>
          <QuantityInput
            label={t.quantityOf(title)}
            value={units}
            max={entry.room}
            disabled={isOff}
            onSet={(typed) => set(Number.isFinite(typed) ? typed : planned)}
          />
          <button type="button" disabled={isOff || isFull} onClick={() => set(units + 1)} aria-label={t.more(title)}>
            +
          </button>
        </span>
      </span>
    </li>
  )
}
