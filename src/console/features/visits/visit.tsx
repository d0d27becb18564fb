/** One visit: count on arrival, fill, take out, note. Every press is kept on the device; it works without a network. */
import '../../styles/visits.css'
import { useEffect, useState } from 'preact/hooks'
import { useAction } from '../../lib/service/action.ts'
import { newIdempotencyKey, reachable, VendopsError } from '../../lib/service/api.ts'
import { type DaySlot, type DayVisit, day, readMachine } from './device/day.ts'
import {
  cashOf,
  countAllAsExpected,
  draftId,
  emptyDraft,
  filledOf,
  hasContent,
  hasReport,
  requestOf,
  setRemoved,
  slotsToChoose,
  slotsWith,
  sumOf,
} from './device/draft.ts'
import type { Draft } from './device/draft.ts'
import { deliveryAt } from './device/delivery.ts'
import { keepPress } from './device/presses.ts'
import { sendPresses } from './device/send.ts'
import { useDevice } from './device/use-device.ts'
import { drafts, dropDraft, keepDraft, pressOf, visitState } from './device/visit-state.ts'
import { doubtText, isAboveCapacity } from './doubtful-count.ts'
import { nowMs, nowTimestamp, shortTime } from '../../lib/text/format.ts'
import { texts, textsOf } from '../../lib/text/i18n.ts'
import { me, person } from '../../lib/service/me.ts'
import { href, navigate, query } from '../../lib/router.ts'
import { navigationLink } from '../machines/map-projection.ts'
import { slotPlace } from '../machines/slot-place.ts'
import { CameList } from '../storeroom/came-list.tsx'
import type { ConfirmedProduct } from '../storeroom/storeroom.ts'
import { MAP } from '../../locales/map.ts'
import { VISITS } from '../../locales/visits.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Choice } from '../../ui/form/choice.tsx'
import { Empty, Failure, Skeleton } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader } from '../../ui/section.tsx'
import { moveText } from './move-text.ts'
import { PressOutcome } from './press-outcome.tsx'
import { toast } from '../../ui/toast.tsx'
import { VisitExtras } from './visit-extras.tsx'
import { type VisitMode, VisitSlots } from './visit-slots.tsx'

export function Visit({ id }: { readonly id: string }) {
  const run = query('run') || undefined
  const device = useDevice()
  const known = day.value?.visits.find((visit) => visit.location === id && visit.run === run)
  const { slots, error } = useSlots(id, run, known)
  const machine = day.value?.machines.find((one) => one.id === id)
  // While the names are read, the page has its general title.
  const name = known?.name ?? machine?.name ?? (day.value || !device.reading ? id : texts().pages.visit)
  const t = textsOf(VISITS)
  const visit: DayVisit = known ?? { location: id, name, sequence: 0, slots: slots ?? [], ...(run ? { run } : {}) }
  const isLoading = run === undefined ? slots === undefined && error === undefined : device.reading
  const wait = !device.loaded || (known === undefined && isLoading)
  return (
    <>
      <PageHeader
        title={name}
        back={{ href: '/visits', text: texts().pages.visits }}
        lead={visit.place ?? machine?.place ?? (name === id ? ' ' : id)}
        actions={
          machine?.geo ? (
            <ButtonLink href={navigationLink(machine.geo, name)}>{textsOf(MAP).navigate}</ButtonLink>
          ) : undefined
        }
      />
      {wait ? (
        <Skeleton lines={8} height={64} />
      ) : error !== undefined && !isOffline(error) ? (
        <Failure error={error} />
      ) : error !== undefined ? (
        <Empty icon="machines" title={t.neverRead}>
          {t.neverReadText}
        </Empty>
      ) : slots?.length === 0 && day.value !== undefined && machine === undefined ? (
        <Empty icon="machines" title={texts().machine.unknown(id)} />
      ) : run !== undefined && known === undefined ? (
        <Empty icon="visits" title={t.noVisit}>
          <a href="/visits">{texts().pages.visits}</a>
        </Empty>
      ) : (
        <VisitView visit={{ ...visit, slots: known?.slots ?? slots ?? [] }} />
      )}
    </>
  )
}

/** Without a line the page says what to do; every other failure is shown as it is. */
const isOffline = (error: unknown): boolean => error instanceof VendopsError && error.status === 0

interface SlotsState {
  readonly slots?: readonly DaySlot[]
  /** Neither the service nor the device has them. */
  readonly error?: unknown
}

/** The slots of a machine that is visited without a run. */
function useSlots(location: string, run: string | undefined, known: DayVisit | undefined): SlotsState {
  const [state, setState] = useState<SlotsState>({})
  const isNeeded = run === undefined && known === undefined && person.value !== ''
  useEffect(() => {
    if (!isNeeded) return
    readMachine(location).then(
      (slots) => setState({ slots }),
      (error: unknown) => setState({ error }),
    )
  }, [location, isNeeded])
  return state
}

function VisitView({ visit }: { readonly visit: DayVisit }) {
  const t = textsOf(VISITS)
  const state = visitState(visit)
  const press = pressOf(visit.location, visit.run)
  if (visit.run !== undefined && press && state !== 'undoing') return <PressOutcome press={press} />
  if (state === 'received')
    return (
      <Notice
        tone="ok"
        title={t.alreadyTitle(shortTime(visit.receivedAt ?? ''))}
        action={<ButtonLink href={href.visit(visit.location)}>{t.countAgain}</ButtonLink>}
      >
        {t.alreadyText}
      </Notice>
    )
  if (visit.slots.length === 0)
    return (
      <Empty icon="machines" title={t.noSlots}>
        {t.noSlotsText}
      </Empty>
    )
  return (
    <>
      {press ? <PressOutcome press={press} /> : null}
      <VisitForm visit={visit} />
    </>
  )
}

/** The service takes visits of the last 48 hours. */
const BOOKABLE_MS = 40 * 60 * 60 * 1000
const isRecent = (at: string): boolean => nowMs() - Date.parse(at) < BOOKABLE_MS

function VisitForm({ visit }: { readonly visit: DayVisit }) {
  const t = textsOf(VISITS)
  const { run, location, name } = visit
  const id = draftId(person.value, location, run)
  const draft = drafts.value.get(id) ?? emptyDraft(id, person.value)
  const { asked: products, came, stated, isReadable } = deliveryAt(visit, draft)
  const slots = slotsWith(visit.slots, came)
  const [mode, setMode] = useState<VisitMode>('count')
  const [isLost, setLost] = useState(false)
  const doubtful = slots.flatMap((slot) => {
    const counted = draft.counted[slot.id]
    return counted !== undefined && isAboveCapacity(counted, slot.capacity) ? [{ ...slot, counted }] : []
  })
  /** What was asked about: pressing again confirms exactly that. */
  const [asked, setAsked] = useState('')
  const question = doubtful.map(({ id: slot, counted: n }) => `${slot} ${n}`).join()
  const isAsked = question !== '' && asked === question
  // The service also knows what was ever in a slot: where that decides, it asks by itself.
  const isSure = isAsked && slots.every(({ id: slot, capacity }) => !(slot in draft.counted) || capacity !== undefined)
  const change = (next: Draft) =>
    void keepDraft(next).then(
      () => setLost(false),
      () => setLost(true),
    )
  const currency = me.value?.currency
  const cash = cashOf(draft, currency)
  const toChoose = slotsToChoose(draft, slots)
  const isVisited = hasContent(draft, run)
  const isReady = (isVisited || hasReport(draft)) && cash?.ok !== false && toChoose.length === 0 && isReadable
  const save = useAction(async () => {
    const { photo, fault: typed = '', at: madeAt, ...entered } = draft
    const at = madeAt !== undefined && isRecent(madeAt) ? madeAt : nowTimestamp()
    const made = { person: person.peek(), location, name, at, state: 'kept' } as const
    const visitKey = newIdempotencyKey()
    if (isVisited)
      await keepPress({
        kind: run === undefined ? 'service' : 'receive',
        id: visitKey,
        ...made,
        // It may be sent hours later, and an entry may be corrected; both say when the visit was made.
        body: {
          ...requestOf(draft, slots, run, currency, stated),
          ...(isSure ? { confirm_count: true } : {}),
          occurred_at: at,
        },
        draft: entered,
        ...(run === undefined ? {} : { run }),
      })
    const fault = typed.trim()
    if (hasReport(draft))
      await keepPress({
        kind: 'report',
        id: newIdempotencyKey(),
        ...made,
        ...(isVisited ? { of: visitKey } : {}),
        ...(fault === '' ? {} : { fault }),
        ...(photo === undefined ? {} : { photo }),
      })
    await dropDraft(id)
    void sendPresses()
    toast(reachable.peek() ? t.savedToast(name) : t.keptToast(name))
    navigate('/visits')
  })
  const counted = Object.keys(draft.counted).length
  const loads = slots.filter(({ quantity }) => quantity !== undefined)
  const loaded = run === undefined ? undefined : sumOf(loads.map((slot) => filledOf(draft, slot)))
  const removed = sumOf(Object.values(draft.removed).map(({ quantity }) => quantity))
  const modes = [
    { name: 'count', text: t.modes.count, count: counted },
    ...(loaded === undefined ? [] : [{ name: 'fill', text: t.modes.fill, count: loaded }]),
    { name: 'remove', text: t.modes.remove, count: removed },
  ]
  return (
    <form
      class="stack visit-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isReady) return
        if (question === '' || isAsked) void save.run()
        else setAsked(question)
      }}
    >
      <div class="visit-modes">
        <Choice label={t.modeLabel} tabs={modes} value={mode} onChange={(next) => setMode(next as VisitMode)} />
      </div>
      <div class="row visit-quick">
        {mode === 'count' && slots.some(({ stock, id: slot }) => stock !== undefined && !(slot in draft.counted)) ? (
          <Button icon="check" onClick={() => change(countAllAsExpected(draft, slots))}>
            {t.allAsExpected}
          </Button>
        ) : null}
        {mode !== 'remove' && loads.length > 0 ? (
          <Button
            icon="check"
            kind={draft.isFilledAsPlanned ? 'primary' : 'plain'}
            aria-pressed={draft.isFilledAsPlanned ?? false}
            onClick={() => change({ ...draft, isFilledAsPlanned: !draft.isFilledAsPlanned })}
          >
            {t.filledAsPlanned}
          </Button>
        ) : null}
      </div>
      {mode === 'fill' && products.length > 0 ? (
        <VisitDelivery products={products} draft={draft} change={change} />
      ) : null}
      <VisitSlots slots={mode === 'fill' ? loads : slots} mode={mode} draft={draft} change={change} />
      <VisitLanes visit={visit} draft={draft} change={change} />
      <VisitMoves visit={visit} draft={draft} change={change} />
      <VisitExtras draft={draft} name={name} change={change} currency={currency} />
      <div class="row sticky-foot visit-foot">
        <span class="note" role="status">
          {toChoose[0] ? (
            <span class="toned warn">{t.chooseReturned(toChoose[0].title)}</span>
          ) : isReady ? (
            t.summary({ counted, loaded, removed, hasCash: cash?.ok === true, hasReport: hasReport(draft), isVisited })
          ) : run === undefined ? (
            t.nothingCounted
          ) : (
            t.nothingYet
          )}
        </span>
        {isAsked ? (
          <Notice tone="warn" urgent title={texts().doubt.title}>
            {doubtful.map(({ id: slot, title, counted: n, capacity }) => (
              <p key={slot}>
                {title}: {doubtText({ product: title, counted: n, capacity })}
              </p>
            ))}
          </Notice>
        ) : null}
        {save.error !== undefined || isLost ? (
          <Notice tone="bad" urgent>
            {t.keptFailed}
          </Notice>
        ) : null}
        <Button kind="primary" type="submit" busy={save.busy} disabled={!isReady}>
          {save.busy ? t.saving : isAsked ? texts().doubt.yes : t.save}
        </Button>
      </div>
    </form>
  )
}

/** What the supplier brought, where it was not what was ordered. */
function VisitDelivery({ products, draft, change }: VisitDeliveryProps) {
  const t = texts().receive
  const { came, ...rest } = draft
  return (
    <fieldset class="stack">
      <legend>{t.cameTitle}</legend>
      <label class="line visit-lane">
        <input
          type="checkbox"
          checked={came !== undefined}
          onChange={({ currentTarget }) => change(currentTarget.checked ? { ...rest, came: {} } : rest)}
        />
        {t.cameOther}
      </label>
      {came === undefined ? null : (
        <CameList products={products} typed={came} onChange={(typed) => change({ ...draft, came: typed })} />
      )}
    </fieldset>
  )
}

interface VisitDeliveryProps extends Omit<VisitLanesProps, 'visit'> {
  readonly products: readonly ConfirmedProduct[]
}

/** Lanes that this visit gives to another product, each ticked off once it has it. */
function VisitLanes({ visit: { run, location }, draft, change }: VisitLanesProps) {
  const t = textsOf(VISITS).lanes
  const stops = day.value?.pickLists.find((list) => list.run === run)?.stops ?? []
  const toChange = stops.find((stop) => stop.location === location)?.lane_changes ?? []
  if (toChange.length === 0) return null
  const { lanes = [] } = draft
  return (
    <fieldset class="stack">
      <legend>{t.title}</legend>
      {toChange.map(({ lane, position, now, proposed }) => (
        <label key={lane} class="line visit-lane">
          <input
            type="checkbox"
            checked={lanes.includes(lane)}
            onChange={({ currentTarget }) =>
              change({
                ...draft,
                lanes: currentTarget.checked ? [...lanes, lane] : lanes.filter((each) => each !== lane),
              })
            }
          />
          {t.change(slotPlace(lane, { position }), proposed.title, now.title)}
        </label>
      ))}
    </fieldset>
  )
}

/** Units that this visit takes out for another machine; ticked off, they are taken back to the store room. */
function VisitMoves({ visit: { run, location }, draft, change }: VisitLanesProps) {
  const stops = day.value?.pickLists.find((list) => list.run === run)?.stops ?? []
  const moves = stops.find((stop) => stop.location === location)?.moves ?? []
  if (moves.length === 0) return null
  return (
    <fieldset class="stack">
      <legend>{textsOf(VISITS).moves.title}</legend>
      {moves.map((move) => (
        <label key={move.slot_id} class="line visit-lane">
          <input
            type="checkbox"
            checked={draft.removed[move.slot_id]?.reason === 'returned'}
            onChange={({ currentTarget }) =>
              change(setRemoved(draft, move.slot_id, currentTarget.checked ? move.quantity : 0, 'returned'))
            }
          />
          {moveText(move)}
        </label>
      ))}
    </fieldset>
  )
}

interface VisitLanesProps {
  readonly visit: DayVisit
  readonly draft: Draft
  readonly change: (draft: Draft) => void
}
