/** The live event feed. */
import { useState } from 'preact/hooks'
import { newEventIds, feed, stream } from '../../lib/service/live.ts'
import { useNames } from '../../lib/service/queries.ts'
import { texts } from '../../lib/text/i18n.ts'
import { personName } from '../../lib/text/value-text.ts'
import { href } from '../../lib/router.ts'
import { RelativeTime } from '../../ui/value.tsx'
import { Empty, Skeleton } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { EventBody, KindBadge } from '../activity/event-entry.tsx'

const FIRST = 12

export function Feed() {
  const t = texts().feed
  const [all, setAll] = useState(false)
  const shown = all ? feed.value : feed.value.slice(0, FIRST)
  const { name, isWaiting: waits } = useNames(shown.map(({ location }) => location))
  const arrived = waits ? [] : feed.value
  // Sales arrive late, so the newest to arrive need not be the newest.
  const events = (waits ? [] : shown).toSorted((a, b) => Date.parse(b.occurred_at) - Date.parse(a.occurred_at))
  return (
    <Section title={t.title} note={t.note} class="feed">
      {events.length === 0 ? (
        stream.value === 'live' && !waits ? (
          <Empty icon="info" title={t.empty} />
        ) : stream.value === 'waiting' ? (
          <p class="note">{texts().today.unknown}</p>
        ) : (
          <Skeleton lines={8} height={30} />
        )
      ) : null}
      <ol aria-live="polite" aria-relevant="additions" class="feed-list">
        {events.map((event) => (
          <li key={event.id} class={newEventIds.has(event.id) ? 'new' : ''}>
            <div class="line feed-line">
              <KindBadge event={event} />
              <span class="faint">
                <RelativeTime at={event.occurred_at} />
              </span>
            </div>
            <EventBody event={event} name={name} />
            {event.source === 'caller' ? (
              <p class="faint">{t.addedBy(event.author && personName(event.author))}</p>
            ) : null}
            {event.location ? (
              <a class="faint" href={href.machine(event.location)}>
                {name(event.location)}
              </a>
            ) : null}
          </li>
        ))}
      </ol>
      {arrived.length > FIRST ? (
        <button type="button" class="linklike" onClick={() => setAll(!all)}>
          {all ? t.less : t.more(arrived.length - FIRST)}
        </button>
      ) : null}
    </Section>
  )
}
