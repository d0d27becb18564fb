/** Closed days and expected events of a machine. */
import { useState } from 'preact/hooks'
import type { CalendarEntry } from '../../../contract/shapes/calendar.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { fullDay } from '../../lib/text/format.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { may } from '../../lib/service/me.ts'
import { useResource } from '../../lib/service/resource.ts'
import { Badge } from '../../ui/value.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure, Loaded } from '../../ui/loaded.tsx'
import { Field, Select } from '../../ui/form/field.tsx'
import { Section } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.tsx'

const FACTOR = /^\d{1,2}([.,]\d{1,2})?$/

export function CalendarForm({ location }: { readonly location: string }) {
  const t = texts().operator.calendar
  const calendar = useResource(
    `calendar ${location}`,
    (signal) => client.getCalendar({ params: { id: location }, signal }),
    ['location'],
  )
  const save = useAction(async (entries: readonly CalendarEntry[]) => {
    calendar.put(await client.putCalendar({ params: { id: location }, body: { entries: [...entries] } }))
    toast(t.saved)
  })
  return (
    <Section title={t.title} note={t.note}>
      <Loaded resource={calendar} lines={2}>
        {({ entries }) => (
          <>
            {entries.length === 0 ? <p class="note">{t.none}</p> : null}
            <ul class="rows">
              {entries.map((entry) => (
                <li key={`${entry.kind} ${entry.from}`}>
                  <div>
                    {entry.from === entry.to ? fullDay(entry.from) : `${fullDay(entry.from)} – ${fullDay(entry.to)}`}{' '}
                    <Badge tone={entry.kind === 'closed' ? 'calm' : 'info'}>
                      {entry.kind === 'closed' ? t.closed : `× ${entry.factor}`}
                    </Badge>
                    {entry.note ? <p class="faint">{entry.note}</p> : null}
                  </div>
                  <Button
                    needs="putCalendar"
                    small
                    disabled={save.busy}
                    onClick={() => void save.run(entries.filter((other) => other !== entry))}
                  >
                    {t.remove}
                  </Button>
                </li>
              ))}
            </ul>
            {may('putCalendar') ? (
              <AddEntry busy={save.busy} add={(entry) => void save.run([...entries, entry])} />
            ) : null}
            {save.error === undefined ? null : <Failure error={save.error} compact />}
          </>
        )}
      </Loaded>
    </Section>
  )
}

function AddEntry({ add, busy }: { readonly add: (entry: CalendarEntry) => void; readonly busy: boolean }) {
  const t = texts().operator.calendar
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const [kind, setKind] = useState<CalendarEntry['kind']>('closed')
  const [factor, setFactor] = useState('2')
  const [note, setNote] = useState('')
  const isFactor = FACTOR.test(factor) && Number(factor.replace(',', '.')) > 0
  const isReady = from !== '' && (to === '' || to >= from) && (kind === 'closed' || isFactor)
  return (
    <form
      class="form-grid"
      aria-label={words().add}
      onSubmit={(event) => {
        event.preventDefault()
        if (!isReady) return
        add({
          from,
          to: to || from,
          kind,
          ...(kind === 'demand' ? { factor: Number(factor.replace(',', '.')) } : {}),
          ...(note.trim() === '' ? {} : { note: note.trim() }),
        })
        setNote('')
      }}
    >
      <Field label={t.from} type="date" value={from} onInput={setFrom} />
      <Field label={t.to} type="date" value={to} onInput={setTo} />
      <Select
        label={t.kind}
        value={kind}
        onChange={(value) => setKind(value as CalendarEntry['kind'])}
        options={[
          ['closed', t.closed],
          ['demand', t.demand],
        ]}
      />
      {kind === 'demand' ? (
        <Field
          label={t.factor}
          inputMode="decimal"
          value={factor}
          onInput={setFactor}
          error={isFactor ? undefined : t.factorInvalid}
        />
      ) : null}
      <Field label={words().note} value={note} onInput={setNote} maxLength={500} />
      <div class="form-end">
        <Button needs="putCalendar" type="submit" busy={busy} disabled={!isReady}>
          {words().add}
        </Button>
      </div>
    </form>
  )
}
