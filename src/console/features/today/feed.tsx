/** The live event feed. */
import { useState } from 'preact/hooks'
import type { Event } from '../../../contract/shapes/event.ts'
import { newEventIds, feed, stream } from '../../lib/service/live.ts'
import { isEnglish, texts } from '../../lib/text/i18n.ts'
import { eventText } from '../../lib/text/service-text.ts'
import { personName } from '../../lib/text/value-text.ts'
import { href } from '../../lib/router.ts'
import { Badge, RelativeTime } from '../../ui/value.tsx'
import { Empty, Skeleton } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { ServiceDetail } from '../../ui/service-detail.tsx'
import type { Tone } from '../../lib/text/tone.ts'

const FIRST = 12
const TONES: Readonly<Record<string, Tone>> = {
  checkout: 'info',
  price_change: 'info',
  approval: 'warn',
  replenishment: 'ok',
  guardrail: 'bad',
}

/** The kind `order` is of sales and of purchases at their supplier. */
const kindOf = ({ kind, code }: Event): string => (code?.startsWith('purchase_') ? 'checkout' : kind)

function EventBody({ event, name }: { readonly event: Event; readonly name: (location: string) => string }) {
  const { text, detail } = eventText(event, name)
  return (
    <>
      <p>{text}</p>
      {/* A sale needs no explanation. */}
      {detail === undefined || kindOf(event) === 'order' ? null : isEnglish() || event.source === 'caller' ? (
        <p class="faint clamp">{detail}</p>
      ) : (
        <ServiceDetail text={detail} />
      )}
    </>
  )
}

interface Props {
  readonly name: (location: string) => string
  /** The names of machines are on their way. */
  readonly waits: boolean
}

export function Feed({ name, waits }: Props) {
  const t = texts().feed
  const [all, setAll] = useState(false)
  // Sales arrive late, so the newest to arrive need not be the newest.
  const arrived = waits ? [] : feed.value
  const events = (all ? arrived : arrived.slice(0, FIRST)).toSorted(
    (a, b) => Date.parse(b.occurred_at) - Date.parse(a.occurred_at),
  )
  const kinds = texts().eventKinds as Readonly<Record<string, string>>
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
              {/* A caller's event never gets the label or colour of one of the service's own kinds. */}
              {event.source === 'caller' ? (
                <>
                  <Badge>{event.kind}</Badge>
                  <Badge tone="warn">{t.external}</Badge>
                </>
              ) : (
                <Badge tone={TONES[kindOf(event)] ?? 'calm'}>{kinds[kindOf(event)] ?? event.kind}</Badge>
              )}
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
