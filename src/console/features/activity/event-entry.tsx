/** One event in words: what happened, by whom, why, and the page of what it changed. */
import type { Event } from '../../../contract/shapes/event.ts'
import { isEnglish, texts } from '../../lib/text/i18n.ts'
import { may } from '../../lib/service/me.ts'
import { href } from '../../lib/router.ts'
import { eventText } from '../../lib/text/service-text.ts'
import { personName } from '../../lib/text/value-text.ts'
import type { Tone } from '../../lib/text/tone.ts'
import { ServiceDetail } from '../../ui/service-detail.tsx'
import { Photo } from '../../ui/picture.tsx'
import { Badge } from '../../ui/value.tsx'
import { kindOf } from './fold-sales.ts'

const TONES: Readonly<Record<string, Tone>> = {
  checkout: 'info',
  price_change: 'info',
  approval: 'warn',
  replenishment: 'ok',
  guardrail: 'bad',
}

/** A caller's event never gets the label or colour of one of the service's own kinds. */
export const KindBadge = ({ event }: { readonly event: Event }) =>
  event.source === 'caller' ? (
    <>
      <Badge>{event.kind}</Badge>
      <Badge tone="warn">{texts().feed.external}</Badge>
    </>
  ) : (
    <Badge tone={TONES[kindOf(event)] ?? 'calm'}>
      {(texts().eventKinds as Readonly<Record<string, string>>)[kindOf(event)] ?? event.kind}
    </Badge>
  )

interface Props {
  readonly event: Event
  readonly name: (location: string) => string
}

export function EventBody({ event, name }: Props) {
  const { text, detail } = eventText(event, name)
  const photo = event.source === 'service' ? event.params?.['photo'] : undefined
  return (
    <>
      <p>{text}</p>
      {typeof photo === 'string' && photo.startsWith('/photos/') ? <Photo path={photo} /> : null}
      {/* A sale needs no explanation. */}
      {detail === undefined || kindOf(event) === 'order' ? null : isEnglish() || event.source === 'caller' ? (
        <p class="faint clamp">{detail}</p>
      ) : (
        <ServiceDetail text={detail} />
      )}
    </>
  )
}

/** Who did it: a person, a key or an agent. */
export const whoOf = ({ by, author, agent }: Event): string | undefined => by?.name ?? author ?? agent

/** What it changed, where that has a page for this role. */
function subjectOf({ params = {}, location }: Event, name: Props['name']): readonly [string, string] | undefined {
  const t = texts().pages
  const id = (...names: readonly string[]) => names.map((one) => params[one]).find((one) => typeof one === 'string')
  const [run, purchase, decision, order] = [id('run'), id('checkout', 'purchase'), id('decision'), id('order')]
  if (decision !== undefined && may('listApprovals')) return [href.approval(decision), t.approvals]
  if (run !== undefined && may('getRun')) return [href.run(run), t.run]
  if (purchase !== undefined && may('getCheckout')) return [href.purchase(purchase), t.purchase]
  if (order !== undefined && may('getOrder')) return [href.order(order), t.order]
  return location === undefined ? undefined : [href.machine(location), name(location)]
}

export function SubjectLink({ event, name }: Props) {
  const subject = subjectOf(event, name)
  return subject ? (
    <a class="faint" href={subject[0]}>
      {subject[1]}
    </a>
  ) : null
}

export const byText = (event: Event): string | undefined => {
  const who = whoOf(event)
  return who === undefined ? undefined : personName(who)
}
