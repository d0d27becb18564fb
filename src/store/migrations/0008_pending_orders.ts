import type { Ddl } from '../migrate.ts'

export const pendingOrders = ({ int, strict }: Ddl): readonly string[] => [
  `create table pending_order (
    checkout text primary key references checkout (id) on delete cascade,
    vendor text not null,
    ask_at ${int} not null,
    interval_ms ${int} not null,
    asks ${int} not null,
    covered_ms ${int} not null,
    turn ${int} not null
  )${strict}`,
  `create index pending_order_turn on pending_order (turn)`,
  // Attempts made before this table existed: due at once, then with growing intervals.
  `insert into pending_order (checkout, vendor, ask_at, interval_ms, asks, covered_ms, turn)
    select id, vendor, 0, 10000, 0, 0, 0 from checkout
    where label is null and status <> 'completed' and (sent = 1 or status = 'complete_in_progress'
      or exists (select 1 from checkout_attempt where checkout_attempt.checkout = checkout.id
        and checkout_attempt.outcome in ('rejected', 'unauthorized')))`,
]
