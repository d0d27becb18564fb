import type { Ddl } from '../migrate.ts'

/** The kinds the service has written so far. Older rows do not say who wrote them; their kind does. */
const SERVICE_KINDS = `'checkout', 'price_change', 'approval', 'replenishment', 'location', 'sync', 'order', 'guardrail'`

export const eventsSessions = ({ int, strict }: Ddl): readonly string[] => [
  `alter table event add column source text not null default 'service'`,
  `alter table event add column author text`,
  `update event set source = 'caller' where kind not in (${SERVICE_KINDS})`,
  // Retention looks up which attempts refer to an event, and which runs refer to a session.
  `create index checkout_attempt_event on checkout_attempt (event)`,
  `create index run_line_checkout on run_line (checkout) where checkout is not null`,
  `create index decision_subject on decision (subject_type, subject_id)`,
  `create table console_session (
    hash text primary key,
    created_at ${int} not null,
    expires_at ${int} not null
  )${strict}`,
  `create index console_session_expiry on console_session (expires_at)`,
]
