/** Records the loaded quantity of every slot, prefilled with the ordered quantity. */
import { useState } from 'preact/hooks'
import type { PickList } from '../../../contract/shapes/pick-list.ts'
import type { ReplenishmentRun } from '../../../contract/shapes/run.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { hasStoreroom } from '../../lib/service/me.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { plannedOf } from '../plan/plan.ts'
import { CameList, type Typed, deliveredOf } from '../storeroom/came-list.tsx'
import { expectedProducts } from '../storeroom/storeroom.ts'
import { isFromStoreroom, loadOf, loadsOf, overfullSlots } from './run-line.ts'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/form/choice.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.tsx'

interface Props {
  readonly run: ReplenishmentRun
  /** With what is in the machines and what fits in. */
  readonly list: PickList | undefined
  readonly name: (location: string) => string
  readonly onClose: () => void
  readonly put: (run: ReplenishmentRun) => void
}

/** Slots that are named before the others are counted. */
const NAMED = 5

const isCount = (text: string): boolean => /^\d{1,6}$/.test(text)

export function ReceiveForm({ run, list, name, onClose, put }: Props) {
  const t = texts().receive
  const isStored = isFromStoreroom(run)
  const { stored } = texts().run
  const received = new Set((run.visits ?? []).flatMap((visit) => (visit.received_at ? visit.location : [])))
  const lines = run.line_items.filter(({ status, location }) => status !== 'removed' && !received.has(location))
  const [counted, setCounted] = useState<Readonly<Record<string, string>>>({})
  const [note, setNote] = useState('')
  const products = expectedProducts(list)
  const [differs, setDiffers] = useState(false)
  const [typed, setTyped] = useState<Typed>({})
  const came = differs && products.length > 0 ? deliveredOf(products, typed) : undefined
  const loads = loadsOf(lines.map(loadOf), came)
  const loadedOf = (slot: string): string => counted[slot] ?? String(loads.get(slot) ?? 0)
  const overfull = overfullSlots(list, (slot) => Number(loadedOf(slot)))
  const [sure, setSure] = useState('')
  const doubt = JSON.stringify(overfull)
  const isDoubtful = overfull.length > 0 && sure !== doubt
  const valid =
    lines.every(({ slot_id: id }) => isCount(loadedOf(id))) && (!differs || came !== undefined) && !isDoubtful
  const short = lines.filter((line) => Number(loadedOf(line.slot_id)) !== plannedOf(line)).length
  const receive = useAction(async () => {
    const delivered = lines.map(({ slot_id }) => ({ slot_id, quantity: Number(loadedOf(slot_id)) }))
    const next = await client.receiveRun({
      params: { id: run.id },
      body: { delivered, ...(came && { came }), ...(note.trim() ? { note: note.trim() } : {}) },
    })
    toast(t.done)
    put(next)
  })
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (valid) void receive.run()
      }}
    >
      {!isStored && hasStoreroom() ? <p class="note">{products.length > 0 ? t.what : t.whatCounted}</p> : null}
      {products.length > 0 ? (
        <Section title={t.cameTitle}>
          <Choice
            label={t.cameTitle}
            value={differs ? 'other' : 'all'}
            tabs={{ all: t.cameAll(products.reduce((sum, { units }) => sum + units, 0)), other: t.cameOther }}
            onChange={(value) => setDiffers(value === 'other')}
          />
          {differs ? <CameList products={products} typed={typed} onChange={setTyped} /> : null}
        </Section>
      ) : null}
      {[...Map.groupBy(lines, ({ location }) => location)].map(([location, group]) => (
        <Section key={location} title={name(location)} flush>
          <ul class="count-list">
            {group.map((line) => {
              const value = loadedOf(line.slot_id)
              const set = (next: string) => setCounted({ ...counted, [line.slot_id]: next })
              const step = (by: number) => set(String(Math.max(0, (isCount(value) ? Number(value) : 0) + by)))
              return (
                <li key={line.slot_id} class={Number(value) === plannedOf(line) ? 'line' : 'line differs'}>
                  <span>
                    {line.item.title}
                    <span class="faint one-line">
                      {isStored ? stored.planned(plannedOf(line)) : t.ordered(plannedOf(line))}
                    </span>
                  </span>
                  <span class="stepper">
                    <button type="button" onClick={() => step(-1)} aria-label={t.less(line.item.title)}>
                      −
                    </button>
                    <input
                      type="number"
                      min="0"
                      inputMode="numeric"
                      aria-label={t.countOf(line.item.title)}
                      aria-invalid={isCount(value) ? undefined : true}
                      value={value}
                      onInput={(event) => set(event.currentTarget.value)}
                    />
                    <button type="button" onClick={() => step(1)} aria-label={t.more(line.item.title)}>
                      +
                    </button>
                  </span>
                </li>
              )
            })}
          </ul>
        </Section>
      ))}
      <Field label={words().note} value={note} onInput={setNote} maxLength={1000} />
      {overfull.length > 0 ? (
        <Notice tone="warn" title={t.overfull(overfull.length)}>
          <ul>
            {overfull.slice(0, NAMED).map(({ slot, title, loaded, fits, stock, capacity }) => (
              <li key={slot}>{t.overfullOf(title, loaded, fits, stock, capacity)}</li>
            ))}
            {overfull.length > NAMED ? <li>{t.overfullMore(overfull.length - NAMED)}</li> : null}
          </ul>
          <p>{t.overfullNote}</p>
          <Button
            onClick={() =>
              setCounted({ ...counted, ...Object.fromEntries(overfull.map(({ slot, fits }) => [slot, String(fits)])) })
            }
          >
            {t.overfullFit}
          </Button>
          <label class="line">
            <input
              type="checkbox"
              checked={!isDoubtful}
              onChange={(event) => setSure(event.currentTarget.checked ? doubt : '')}
            />
            {t.overfullSure}
          </label>
        </Notice>
      ) : null}
      {receive.error === undefined ? null : <Failure error={receive.error} />}
      <div class="row sticky-foot">
        <p class="note" role="status">
          {short === 0
            ? isStored
              ? stored.asPlanned
              : t.asOrdered
            : isStored
              ? stored.differs(short)
              : t.differs(short)}
        </p>
        <div class="row">
          <Button onClick={onClose} disabled={receive.busy}>
            {texts().cancel}
          </Button>
          <Button kind="primary" type="submit" busy={receive.busy} disabled={!valid}>
            {receive.busy ? t.busy : t.submit}
          </Button>
        </div>
      </div>
    </form>
  )
}
