/** What happens, as it happens. */
import { useState } from 'preact/hooks'
import { arrived, feed, stream } from '../lib/live.ts'
import { w } from '../lib/i18n.ts'
import { href } from '../lib/router.ts'
import { Badge, Empty, Section, Skeleton, When } from './parts.tsx'
import type { Tone } from './parts.tsx'

const FIRST = 25
const TONES: Readonly<Record<string, Tone>> = {
  checkout: 'info',
  price_change: 'info',
  approval: 'warn',
  replenishment: 'ok',
  guardrail: 'bad',
}

export function Feed({ name }: { readonly name: (location: string) => string }) {
  const words = w().feed
  const [all, setAll] = useState(false)
  const events = all ? feed.value : feed.value.slice(0, FIRST)
  const kinds = w().eventKinds as Readonly<Record<string, string>>
  return (
    <Section title={words.title} note={words.note} class="feed">
      {events.length === 0 ? (
        stream.value === 'live' ? (
          <Empty icon="info" title={words.empty} />
        ) : (
          <Skeleton lines={8} height={30} />
        )
      ) : null}
      <ol aria-live="polite" aria-relevant="additions" class="feed-list">
        {events.map((event) => (
          <li key={event.id} class={arrived.has(event.id) ? 'new' : ''}>
            <div class="feed-line">
              {/* A caller's kind never gets the words or the colours of the service's own. */}
              {event.source === 'caller' ? (
                <>
                  <Badge>{event.kind}</Badge>
                  <Badge tone="warn">{words.external}</Badge>
                </>
              ) : (
                <Badge tone={TONES[event.kind] ?? 'calm'}>{kinds[event.kind] ?? event.kind}</Badge>
              )}
              <span class="faint">
                <When at={event.occurred_at} />
              </span>
            </div>
            <p>{event.summary}</p>
            {event.reasoning && event.kind !== 'order' ? <p class="faint clamp">{event.reasoning}</p> : null}
            {event.source === 'caller' ? <p class="faint">{words.addedBy(event.author)}</p> : null}
            {event.location ? (
              <a class="faint" href={href.machine(event.location)}>
                {name(event.location)}
              </a>
            ) : null}
          </li>
        ))}
      </ol>
      {feed.value.length > FIRST ? (
        <button type="button" class="linklike" onClick={() => setAll(!all)}>
          {all ? words.less : words.more(feed.value.length - FIRST)}
        </button>
      ) : null}
    </Section>
  )
}
