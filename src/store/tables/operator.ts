/** The operator of the service: its shifts with their journal, and when it wakes up. */
import { BY_COLUMNS } from '../caller-columns.ts'
import { int, nullable, table, text, textOf } from '../table.ts'

export const OPERATOR_TABLES = {
  shift: table(
    {
      id: text,
      trigger: textOf<'wake_up' | 'event' | 'reminder' | 'by_hand'>(),
      dry_run: int,
      status: textOf<'running' | 'done' | 'waiting' | 'failed' | 'stopped'>(),
      started_at: int,
      ended_at: nullable(int),
      /** JSON of what came of it; null while it runs. */
      figures: nullable(text),
      ...BY_COLUMNS,
    },
    {
      key: ['id'],
      indexes: {
        started: ['started_at'],
        /** One at a time, whatever two instances do. */
        running: { unique: true, on: ['status'], where: `status = 'running'` },
      },
    },
  ),

  /** Rows are only added. What is to be sent stands here before it is sent, and what came of it in a row after it. */
  shift_step: table(
    {
      shift: text,
      n: int,
      at: int,
      /** Names the step within its shift; with the id of the shift it is the key of its write. */
      step: text,
      code: text,
      params: text,
      reference_type: nullable(text),
      reference_id: nullable(text),
      outcome: textOf<
        'begun' | 'noted' | 'done' | 'asked' | 'waiting' | 'refused' | 'unknown' | 'would' | 'taken_over'
      >(),
      /** JSON of the request of a step that was begun. */
      request: nullable(text),
    },
    { key: ['shift', 'n'], indexes: { reference: ['reference_type', 'reference_id'], code: ['code', 'at'] } },
  ),

  /** What a model was told and what it answered, in the order in which it happened. */
  shift_transcript: table(
    {
      shift: text,
      n: int,
      at: int,
      kind: textOf<'brief' | 'reply' | 'result' | 'failure'>(),
      /** Of a result: the id of the call. */
      call: nullable(text),
      content: text,
    },
    { key: ['shift', 'n'], indexes: { at: ['at'] } },
  ),

  /** One row. */
  operator_state: table(
    {
      name: textOf<'operator'>(),
      /** JSON: local times, and days from 1 (Monday) to 7. */
      wake_at: text,
      weekdays: text,
      paused_until: nullable(int),
      /** Until when wake-ups and events were looked at. */
      woken_at: int,
      seen_event: int,
      /** When an event last started a shift. */
      event_at: int,
      /** JSON of what comes with time, as last seen. */
      watched: nullable(text),
    },
    { key: ['name'] },
  ),
}
