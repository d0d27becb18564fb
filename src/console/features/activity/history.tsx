/** What happened on the route, by day: filtered by kind, person and day, with sales folded. */
import type { Event } from '../../../contract/shapes/event.ts'
import { OWN_EVENT_KINDS } from '../../../contract/event-codes.ts'
import { client } from '../../lib/service/api.ts'
import { fullDay, money, nextDay, shortTime, startOfDay, today } from '../../lib/text/format.ts'
import { texts, textsOf, words } from '../../lib/text/i18n.ts'
import { useNames } from '../../lib/service/queries.ts'
import { query, setQuery } from '../../lib/router.ts'
import { eventText } from '../../lib/text/service-text.ts'
import { personName } from '../../lib/text/value-text.ts'
import { ACTIVITY } from '../../locales/work/activity.ts'
import { Field } from '../../ui/form/field.tsx'
import { Section } from '../../ui/section.tsx'
import { ExportButton } from '../../ui/table/export-button.tsx'
import { List, usePages } from '../../ui/table/list.tsx'
import { QuerySelect } from '../../ui/table/query-filters.tsx'
import { byText, EventBody, KindBadge, SubjectLink, whoOf } from './event-entry.tsx'
import { foldSales, kindOf } from './fold-sales.ts'

const FILTERS = ['kind', 'by', 'day']

export function History() {
  const t = textsOf(ACTIVITY).history
  const [kind, by, day] = [query('kind'), query('by'), query('day')]
  const filters = {
    ...(kind ? { kind } : {}),
    ...(by ? { by } : {}),
    ...(day ? { since: startOfDay(day), until: startOfDay(nextDay(day)) } : {}),
  }
  const events = usePages(
    `events ${JSON.stringify(filters)}`,
    (limit, signal) => client.pages.listEvents({ query: { ...filters, limit }, signal }),
    (page) => page.events,
    OWN_EVENT_KINDS,
  )
  const { name } = useNames((events.data ?? []).map(({ location }) => location))
  const kinds = texts().eventKinds as Readonly<Record<string, string>>
  const people = [...new Set([by, ...(events.data ?? []).map((event) => whoOf(event) ?? '')])].filter(Boolean)
  return (
    <Section
      title={t.title}
      aside={
        <ExportButton
          name={t.title}
          columns={[
            { title: words().time, value: (event: Event) => event.occurred_at },
            { title: words().kind, value: (event: Event) => kinds[kindOf(event)] ?? event.kind },
            { title: t.by, value: (event: Event) => byText(event) },
            { title: words().machine, value: (event: Event) => event.location && name(event.location) },
            { title: t.what, value: (event: Event) => eventText(event, name).text },
          ]}
          load={async () => (await events.pages?.all()) ?? []}
        />
      }
    >
      <div class="filters">
        <QuerySelect
          of="kind"
          label={words().kind}
          options={[['', t.allKinds], ...OWN_EVENT_KINDS.map((one) => [one, kinds[one] ?? one] as const)]}
        />
        <QuerySelect
          of="by"
          label={t.by}
          options={[['', t.everybody], ...people.map((one) => [one, personName(one)] as const)]}
        />
        <Field label={t.day} hideLabel type="date" value={day} onInput={(next) => setQuery({ day: next })} />
      </div>
      <List
        rows={events}
        filterNames={FILTERS}
        icon="activity"
        none={texts().feed.empty}
        keyOf={({ id }) => id}
        columns={[]}
        draw={(list) =>
          foldSales(list).map(([date, entries]) => <Day key={date} date={date} entries={entries} name={name} />)
        }
      />
    </Section>
  )
}

interface DayProps {
  readonly date: string
  readonly entries: ReturnType<typeof foldSales>[number][1]
  readonly name: (location: string) => string
}

const Day = ({ date, entries, name }: DayProps) => {
  const t = textsOf(ACTIVITY).history
  return (
    <section class="history-day" aria-label={fullDay(date)}>
      <h3>{date === today() ? texts().pages.today : fullDay(date)}</h3>
      <ol class="feed-list">
        {entries.map((entry) =>
          'sales' in entry ? (
            <li key={entry.sales[0]?.id}>
              <details>
                <summary>
                  {t.sales(entry.sales.length, money(entry.total, entry.currency))}{' '}
                  <span class="faint">{shortTime(entry.sales[0]?.occurred_at ?? '')}</span>
                </summary>
                <ol>
                  {entry.sales.map((sale) => (
                    <Entry key={sale.id} event={sale} name={name} />
                  ))}
                </ol>
              </details>
            </li>
          ) : (
            <Entry key={entry.id} event={entry} name={name} />
          ),
        )}
      </ol>
    </section>
  )
}

const Entry = ({ event, name }: { readonly event: Event; readonly name: DayProps['name'] }) => (
  <li>
    <div class="line feed-line">
      <KindBadge event={event} />
      {byText(event) === undefined ? null : <span class="faint">{byText(event)}</span>}
      <span class="faint">{shortTime(event.occurred_at)}</span>
    </div>
    <EventBody event={event} name={name} />
    <SubjectLink event={event} name={name} />
  </li>
)
