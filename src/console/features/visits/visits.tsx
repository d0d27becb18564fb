/** Today's visits in the order of the tour, with and without a network. */
import '../../styles/visits.css'
import { useState } from 'preact/hooks'
import { reachable } from '../../lib/service/api.ts'
import { type Day, type DayVisit, day } from './device/day.ts'
import { sumOf } from './device/draft.ts'
import { type VisitPress, dropPress, foreignPresses, isWaiting, presses } from './device/presses.ts'
import { sendPresses } from './device/send.ts'
import { type Device, useDevice } from './device/use-device.ts'
import {
  type VisitState,
  isDone,
  otherPresses,
  pressOf,
  pressState,
  unsentReports,
  visitState,
} from './device/visit-state.ts'
import { useAction } from '../../lib/service/action.ts'
import { count, shortTime } from '../../lib/text/format.ts'
import { texts, words, textsOf } from '../../lib/text/i18n.ts'
import { href, navigate } from '../../lib/router.ts'
import type { Tone } from '../../lib/text/tone.ts'
import { codeTitle } from '../../lib/text/value-text.ts'
import { VISITS } from '../../locales/visits.ts'
import { Badge } from '../../ui/value.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty, Failure, Skeleton } from '../../ui/loaded.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader, Section } from '../../ui/section.tsx'
import { PressOutcome } from './press-outcome.tsx'

const TONES: Readonly<Record<VisitState, Tone>> = {
  open: 'calm',
  started: 'info',
  kept: 'warn',
  sending: 'info',
  sent: 'ok',
  received: 'ok',
  refused: 'bad',
  undoing: 'warn',
}

export function Visits() {
  const device = useDevice()
  const t = textsOf(VISITS)
  const known = day.value
  const states = (known?.visits ?? []).map((visit) => visitState(visit))
  const done = states.filter(isDone).length
  return (
    <>
      <PageHeader title={texts().pages.visits} lead={known ? t.lead(states.length - done, done) : ' '} />
      <div class="stack visits">
        <AsOf day={known} device={device} />
        <Waiting />
        {known ? <DayView day={known} states={states} /> : null}
        {!known && device.reading ? <Skeleton lines={6} height={64} /> : null}
        {!known && !device.reading && device.error !== undefined ? (
          <>
            <Failure error={device.error} retry={() => void device.read()} />
            <p class="note">{t.never}</p>
          </>
        ) : null}
      </div>
    </>
  )
}

/** What is shown was read some time ago; without a connection this says so. */
function AsOf({ day: known, device }: { readonly day: Day | undefined; readonly device: Device }) {
  const t = textsOf(VISITS)
  if (!known) return null
  const isOnline = reachable.value && device.error === undefined
  const time = shortTime(known.asOf)
  return (
    <>
      {isOnline ? null : <Notice tone="warn">{t.asOfOffline(time)}</Notice>}
      <div class="line as-of">
        <span class="note">{isOnline ? t.asOf(time) : ''}</span>
        <Button kind="quiet" icon="sync" busy={device.reading} onClick={() => void device.read()}>
          {t.refresh}
        </Button>
      </div>
    </>
  )
}

function Waiting() {
  const t = textsOf(VISITS)
  const send = useAction(sendPresses)
  const waiting = presses.value.filter(isWaiting).length
  return (
    <>
      {waiting > 0 ? (
        <Notice tone="info" title={t.waiting(waiting)} action={<Button action={send}>{words().sendNow}</Button>}>
          {t.waitingText}
        </Notice>
      ) : null}
      {unsentReports()
        .filter(({ state }) => state === 'refused')
        .map(({ id, name, fault = t.photo, refusal }) => (
          <Notice
            key={id}
            tone="bad"
            title={`${name}: ${fault}`}
            action={<Button onClick={() => void dropPress(id)}>{t.discard}</Button>}
          >
            {codeTitle(refusal?.code ?? '') ?? refusal?.text}
          </Notice>
        ))}
      {foreignPresses.value.length > 0 ? <Notice tone="info">{t.foreign(foreignPresses.value.length)}</Notice> : null}
    </>
  )
}

function DayView({ day: known, states }: { readonly day: Day; readonly states: readonly VisitState[] }) {
  const t = textsOf(VISITS)
  const next = states.findIndex((state) => state === 'open' || state === 'started' || state === 'refused')
  const runs = new Map(known.visits.flatMap(({ run, runName = run }) => (run ? [[run, runName] as const] : [])))
  return (
    <>
      {known.visits.length === 0 ? (
        <Empty icon="visits" title={t.none}>
          {t.noneText}
        </Empty>
      ) : (
        <ol class="stack visit-list" aria-label={t.list}>
          {known.visits.map((visit, index) => (
            <VisitCard
              key={`${visit.run} ${visit.location}`}
              visit={visit}
              state={states[index] ?? 'open'}
              number={index + 1}
              isNext={index === next}
              withRun={runs.size > 1}
            />
          ))}
        </ol>
      )}
      <OtherVisits />
      {runs.size > 0 ? (
        <Section title={t.pickLists}>
          <ul class="rows">
            {[...runs].map(([run, name]) => (
              <li key={run}>
                <a href={href.pickList(run)}>{name}</a>
              </li>
            ))}
          </ul>
        </Section>
      ) : null}
      <OtherMachine machines={known.machines} />
    </>
  )
}

interface CardProps {
  readonly visit: DayVisit
  readonly state: VisitState
  readonly number: number
  readonly isNext: boolean
  readonly withRun: boolean
}

function VisitCard({ visit, state, number, isNext, withRun }: CardProps) {
  const t = textsOf(VISITS)
  const press = pressOf(visit.location, visit.run)
  const units = sumOf(visit.slots.map(({ quantity = 0 }) => quantity))
  const filled = visit.slots.filter(({ quantity }) => quantity !== undefined).length
  return (
    <li class={`visit-card card${isNext ? ' next' : ''}`}>
      <a class="line visit-open" href={href.visit(visit.location, visit.run)}>
        <span class="visit-number" aria-hidden="true">
          {isDone(state) ? <Icon name="check" size={18} /> : number}
        </span>
        <span class="visit-name">
          <span class="strong">{visit.name}</span>
          {visit.place ? <span class="soft">{visit.place}</span> : null}
          <span class="faint">
            {[t.units(units), t.slots(filled), ...(withRun && visit.runName ? [visit.runName] : [])].join(' · ')}
          </span>
        </span>
        <Badge tone={TONES[state]}>{isNext && state === 'open' ? t.next : t.states[state]}</Badge>
      </a>
      {press ? <PressOutcome press={press} /> : null}
    </li>
  )
}

/** What was entered at machines without a run, with its undo or its refusal. */
function OtherVisits() {
  const t = textsOf(VISITS)
  const made = otherPresses()
  const nameOf = ({ location, name }: VisitPress) => day.value?.machines.find(({ id }) => id === location)?.name ?? name
  if (made.length === 0) return null
  return (
    <Section title={t.otherVisits}>
      <ul class="stack visit-list">
        {made.map((press) => (
          <li key={press.id} class="visit-card card">
            <a class="line visit-open" href={href.visit(press.location)}>
              <span class="visit-name">
                <span class="strong">{nameOf(press)}</span>
              </span>
              <Badge tone={TONES[pressState(press)]}>{t.states[pressState(press)]}</Badge>
            </a>
            <PressOutcome press={press} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

const SHOWN_MAX = 8

function OtherMachine({ machines }: { readonly machines: Day['machines'] }) {
  const t = textsOf(VISITS)
  const [find, setFind] = useState('')
  const wanted = find.trim().toLowerCase()
  const found = machines.filter(({ id, name }) => `${name} ${id}`.toLowerCase().includes(wanted))
  return (
    <Section title={t.other} note={t.otherText} class="no-print">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (found[0]) navigate(href.visit(found[0].id))
        }}
      >
        <Field
          label={words().machine}
          type="search"
          value={find}
          onInput={setFind}
          placeholder={t.otherFind}
          autocomplete="off"
        />
        {wanted === '' ? null : found.length === 0 ? (
          <p class="note">{t.otherNone}</p>
        ) : (
          <ul class="rows big-rows">
            {found.slice(0, SHOWN_MAX).map(({ id, name }) => (
              <li key={id}>
                <a class="line" href={href.visit(id)}>
                  {name} <span class="faint">{id}</span>
                </a>
              </li>
            ))}
            {found.length > SHOWN_MAX ? <li class="faint">+ {count(found.length - SHOWN_MAX)}</li> : null}
          </ul>
        )}
      </form>
    </Section>
  )
}
