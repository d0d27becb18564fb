/** Coming public holidays, and which machines are closed on each. Nothing is closed that nobody confirmed. */
import { useState } from 'preact/hooks'
import type { Holiday } from '../../../contract/shapes/calendar.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { useHolidays, useLocations } from '../../lib/service/queries.ts'
import { fullDay } from '../../lib/text/format.ts'
import { textsOf } from '../../lib/text/i18n.ts'
import { HOLIDAYS } from '../../locales/work/holidays.ts'
import { ActionDialog } from '../../ui/form/action-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.tsx'
import { Badge } from '../../ui/value.tsx'

export function Holidays() {
  const t = textsOf(HOLIDAYS)
  const found = useHolidays()
  const [asked, setAsked] = useState<Holiday>()
  return (
    <Section title={t.title} note={t.note}>
      <Loaded resource={found} lines={4}>
        {({ country, holidays, machines }) =>
          country === null ? (
            <p class="note">{t.noCountry}</p>
          ) : (
            <ul class="rows">
              {holidays.map((holiday) => (
                <li key={holiday.date}>
                  <div>
                    {fullDay(holiday.date)} · {textsOf(holiday.names)}{' '}
                    {holiday.answered || holiday.closed.length > 0 ? (
                      <span class="faint">{t.closed(holiday.closed.length, machines)}</span>
                    ) : (
                      <Badge tone="calm">{t.unanswered}</Badge>
                    )}
                  </div>
                  <Button needs="putHoliday" small onClick={() => setAsked(holiday)}>
                    {t.choose}
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {asked ? (
        <ClosedMachines holiday={asked} onClose={() => setAsked(undefined)} onSaved={() => void found.reload()} />
      ) : null}
    </Section>
  )
}

function ClosedMachines({
  holiday,
  onClose,
  onSaved,
}: {
  readonly holiday: Holiday
  readonly onClose: () => void
  readonly onSaved: () => void
}) {
  const t = textsOf(HOLIDAYS)
  const locations = useLocations()
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set(holiday.closed))
  const save = useAction(async () => {
    await client.putHoliday({ params: { date: holiday.date }, body: { closed: [...closed] } })
    toast(t.saved)
    onSaved()
    onClose()
  })
  return (
    <ActionDialog
      title={`${textsOf(holiday.names)}, ${fullDay(holiday.date)}`}
      action={save}
      submit={t.save(closed.size)}
      ready={locations.data !== undefined}
      onClose={onClose}
    >
      <p>{t.ask}</p>
      <Loaded resource={locations} lines={4}>
        {(machines) => (
          <>
            <p class="line">
              <Button small onClick={() => setClosed(new Set(machines.map(({ id }) => id)))}>
                {t.all}
              </Button>
              <Button small onClick={() => setClosed(new Set())}>
                {t.none}
              </Button>
            </p>
            <ul class="rows">
              {machines.map(({ id, name }) => (
                <li key={id}>
                  <label class="line tick">
                    <input
                      type="checkbox"
                      checked={closed.has(id)}
                      onChange={({ currentTarget: { checked } }) =>
                        setClosed(new Set(checked ? [...closed, id] : [...closed].filter((other) => other !== id)))
                      }
                    />
                    <span>{name}</span>
                  </label>
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </ActionDialog>
  )
}
