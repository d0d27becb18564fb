import type { Event } from '../../contract/shapes/event.ts'
import { rfc3339 } from '../../kernel/clock.ts'
import { type StoredEvent, eventId } from './event.ts'

export const eventView = (event: StoredEvent, timeZone: string): Event => ({
  id: eventId(event),
  occurred_at: rfc3339(event.occurredAt, timeZone),
  kind: event.kind,
  summary: event.summary,
  reasoning: event.reasoning,
  ...(event.code === undefined ? {} : { code: event.code }),
  ...(event.params === undefined ? {} : { params: event.params }),
  ...(event.location === undefined ? {} : { location: event.location }),
  source: event.source,
  ...(event.author === undefined ? {} : { author: event.author }),
  ...(event.agent === undefined ? {} : { agent: event.agent }),
  ...(event.by === undefined ? {} : { by: event.by }),
})
