/** A database of before migration 0010 is upgraded: its events say who wrote them, as far as their kind tells. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { listLatestEvents } from '../../src/record/events/records.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { databaseUrl } from '../support/database.ts'

async function undo({ db }: Store): Promise<void> {
  for (const statement of [
    'drop table console_session',
    'drop index decision_subject',
    'drop index run_line_checkout',
    'drop index checkout_attempt_event',
    'alter table event drop column author',
    'alter table event drop column source',
    `delete from migration where name = '0010_events_sessions'`,
  ])
    await sql.raw(statement).execute(db)
}

test('6.2 events of before are the service’s by their kind, all others a caller’s', async () => {
  const url = await databaseUrl()
  const old = await openStore(url)
  await undo(old)
  for (const kind of ['checkout', 'note', 'guardrail'])
    await sql`insert into event (stored_at, occurred_at, kind, summary, reasoning)
      values (1, 1, ${kind}, 'of before', '')`.execute(old.db)
  await old.close()
  const store = await openStore(url)
  const events = await listLatestEvents(store.db, { limit: 9 })
  expect(events.map(({ kind, source, author }) => [kind, source, author])).toEqual([
    ['guardrail', 'service', undefined],
    ['note', 'caller', undefined],
    ['checkout', 'service', undefined],
  ])
  await store.close()
})
