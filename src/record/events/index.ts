/** The event log. */
import type { HandlersOf } from '../../contract/handlers.ts'
import { EVENTS_DEFAULT, EVENTS_MAX } from '../../contract/limits.ts'
import { URL_PREFIX } from '../../contract/version.ts'
import { callerName } from '../../kernel/caller.ts'
import { parseRfc3339 } from '../../kernel/clock.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import { encodeCursor, pageOf, parseCursor } from '../../lib/pages.ts'
import type { Context } from '../../context.ts'
import { OWN_EVENT_KINDS } from '../../contract/event-codes.ts'
import { isReservedKind } from './event.ts'
import { appendEvent, listLatestEvents } from './records.ts'
import { eventView } from './view.ts'

/** The path of live delivery, below the versioned root. */
export const STREAM_PATH = '/events/stream'

export function eventsHandlers(
  ctx: Pick<Context, 'store' | 'clock' | 'config'>,
): HandlersOf<'listEvents' | 'appendEvent'> {
  const { store, config } = ctx
  const websocket_url = `${config.publicUrl.replace(/^http/, 'ws')}${URL_PREFIX}${STREAM_PATH}`
  return {
    listEvents: async ({ query }) => {
      const position = parseCursor(query.cursor, '$.cursor', 'number')
      if (!position.ok) return position
      const since = query.since === undefined ? undefined : parseRfc3339(query.since)
      const until = query.until === undefined ? undefined : parseRfc3339(query.until)
      if (query.since !== undefined && since === undefined)
        return refuse('invalid', 'Not an RFC 3339 time with an offset', '$.since')
      if (query.until !== undefined && until === undefined)
        return refuse('invalid', 'Not an RFC 3339 time with an offset', '$.until')
      const limit = Math.min(query.limit ?? EVENTS_DEFAULT, EVENTS_MAX)
      const { location, kind, by } = query
      const filter = { location, kind, by, since, until, before: position.value?.[0] }
      const found = await listLatestEvents(store.db, { limit: limit + 1, ...filter })
      const { entries, pagination } = pageOf(found, limit, ({ seq }) => encodeCursor(seq))
      const events = entries.map((event) => eventView(event, config.timeZone))
      return accept({ body: { events, websocket_url, pagination } })
    },
    // No de-duplication: writing an event once is the producer's job.
    appendEvent: async ({ body }) => {
      const { kind, summary, reasoning, location } = body
      if (isReservedKind(kind))
        return refuse('invalid', `These kinds are reserved for the service: ${OWN_EVENT_KINDS.join(', ')}`, '$.kind')
      const author = callerName()
      const event = await store.transaction((tx) =>
        appendEvent(ctx, tx, { kind, summary, reasoning, location, author }),
      )
      return accept({ body: eventView(event, config.timeZone) })
    },
  }
}

// What other folders use.
export { type EventParams, type OwnEvent, type StoredEvent, eventId } from './event.ts'
export { findEvents, listEventsAfter, listLatestEvents, readLastSeq, recordEvent, removeOldEvents } from './records.ts'
export { type EventStream, eventStream } from './stream.ts'
export { eventView } from './view.ts'
