/** Events, their requests and the messages of the WebSocket. */
import { type Static, Type } from 'typebox'
import { Cursor, ENVELOPE, LocationId, PaginationResponse, TextParams, UcpEnvelope, Url } from '../common.ts'
import { EVENTS_DEFAULT, EVENTS_MAX, REASONING_MAX, SUMMARY_MAX, WORD_MAX } from '../limits.ts'
import { By } from './people.ts'
import { answer, list, oneOf, request, text } from '../schema-helpers.ts'

const EVENT = {
  id: Type.String(),
  occurred_at: Type.String({ format: 'date-time', description: 'When it happened, not when it was stored.' }),
  kind: Type.String(),
  summary: Type.String(),
  reasoning: Type.String(),
  code: Type.Optional(Type.String({ description: 'Names the sentence of `summary`; events of callers have none.' })),
  params: Type.Optional(TextParams),
  location: Type.Optional(Type.String()),
  source: oneOf(['service', 'caller']),
  author: Type.Optional(
    Type.String({ description: 'Who wrote a caller’s event: the profile in its UCP-Agent header, or `operator`.' }),
  ),
  agent: Type.Optional(Type.String({ description: 'The UCP-Agent profile of the request that caused it.' })),
  by: Type.Optional(By),
}

export const Event = answer('Event', EVENT)
export type Event = Static<typeof Event>

/** One event as a response of its own. */
export const EventAnswer = answer('EventAnswer', { ...ENVELOPE, ...EVENT })
export type EventAnswer = Static<typeof EventAnswer>

export const EventList = answer('EventList', {
  ucp: UcpEnvelope,
  events: list(Event),
  websocket_url: Url,
  pagination: Type.Optional(PaginationResponse),
})
export type EventList = Static<typeof EventList>

export const EventListQuery = request('EventListQuery', {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: EVENTS_DEFAULT,
      description: `At most ${EVENTS_MAX}.`,
    }),
  ),
  location: Type.Optional(text(WORD_MAX, 'Machine id.')),
  kind: Type.Optional(text(WORD_MAX, 'Such as `checkout` or `price_change`.')),
  since: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Stored since, such as 2026-09-10T08:00:00+08:00.',
    }),
  ),
  until: Type.Optional(Type.String({ format: 'date-time', description: 'Stored before.' })),
  by: Type.Optional(text(WORD_MAX, 'A person, key or agent.')),
  cursor: Type.Optional(Cursor),
})
export type EventListQuery = Static<typeof EventListQuery>

export const EventRequest = request('EventRequest', {
  kind: text(WORD_MAX, 'Your own word, such as `note`.'),
  summary: text(SUMMARY_MAX),
  reasoning: Type.String({ maxLength: REASONING_MAX }),
  location: Type.Optional(LocationId),
})
export type EventRequest = Static<typeof EventRequest>

/** The first message to a WebSocket client. */
export const EventHistoryMessage = answer('EventHistoryMessage', {
  type: Type.Literal('event-history'),
  events: list(Event),
})
export type EventHistoryMessage = Static<typeof EventHistoryMessage>

/** Then one for each new event. */
export const EventMessage = answer('EventMessage', { type: Type.Literal('event'), event: Event })
export type EventMessage = Static<typeof EventMessage>
