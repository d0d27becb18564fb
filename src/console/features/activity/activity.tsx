/** The operator of the service: what it may do, and its shifts. */
import type { Operator, OperatorRequest, ShiftEntry } from '../../../contract/shapes/operator/operator.ts'
import { client } from '../../lib/service/api.ts'
import { useAction } from '../../lib/service/action.ts'
import { money, nowMs } from '../../lib/text/format.ts'
import { texts, textsOf } from '../../lib/text/i18n.ts'
import { may, me } from '../../lib/service/me.ts'
import { useOperator, useShifts } from '../../lib/service/queries.ts'
import { href } from '../../lib/router.ts'
import { shiftSummary } from './shift-text.ts'
import { ACTIVITY } from '../../locales/work/activity.ts'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/form/choice.tsx'
import { Empty, Failure, Loaded } from '../../ui/loaded.tsx'
import { Facts, PageHeader, Section } from '../../ui/section.tsx'
import { History } from './history.tsx'
import { ShiftBadge } from './shift-badge.tsx'
import { toast } from '../../ui/toast.tsx'
import { Badge, RelativeTime, Timestamp } from '../../ui/value.tsx'

const DAY_MS = 24 * 60 * 60 * 1000
const AREAS = ['restock', 'prices', 'swaps'] as const

export function Activity() {
  const t = textsOf(ACTIVITY)
  const operator = useOperator()
  const shifts = useShifts()
  const start = useAction(async (isDryRun: boolean) => {
    await client.startShift(isDryRun ? { query: { dry_run: 'true' } } : {})
    toast(t.started)
    await Promise.all([shifts.reload(), operator.reload()])
  })
  return (
    <>
      <PageHeader
        title={texts().pages.activity}
        lead={t.lead}
        actions={
          <>
            <Button needs="startShift" busy={start.busy} onClick={() => void start.run(true)}>
              {t.tryOut}
            </Button>
            <Button kind="primary" needs="startShift" busy={start.busy} onClick={() => void start.run(false)}>
              {t.start}
            </Button>
          </>
        }
      />
      {start.error === undefined ? null : <Failure error={start.error} compact />}
      <div class="two-thirds">
        <div class="stack">
          <Section title={t.shifts}>
            <Loaded resource={shifts}>
              {(list) =>
                list.length === 0 ? (
                  <Empty icon="activity" title={t.none} />
                ) : (
                  list.map((shift) => <Row key={shift.id} shift={shift} />)
                )
              }
            </Loaded>
          </Section>
          {may('listEvents') ? <History /> : null}
        </div>
        <Loaded resource={operator}>
          {(data) => <Settings operator={data} onChanged={(changed) => operator.put(changed)} />}
        </Loaded>
      </div>
    </>
  )
}

const Row = ({ shift }: { readonly shift: ShiftEntry }) => {
  const t = textsOf(ACTIVITY)
  return (
    <p class="line">
      <ShiftBadge status={shift.status} />
      {shift.dry_run ? <Badge>{t.dryRun}</Badge> : null}
      <a href={href.shift(shift.id)}>{shiftSummary(shift)}</a>
      <span class="faint">
        {t.triggers[shift.trigger]}, <RelativeTime at={shift.started_at} />
      </span>
    </p>
  )
}

interface SettingsProps {
  readonly operator: Operator
  readonly onChanged: (operator: Operator) => void
}

function Settings({ operator, onChanged }: SettingsProps) {
  const t = textsOf(ACTIVITY)
  const { autonomy, paused_until: paused, next_wake_at: next, budget } = operator
  const change = useAction(async (body: OperatorRequest) => onChanged(await client.putOperator({ body })))
  const mayChange =
    me.value?.role === 'owner' || (me.value?.environment === 'staging' && !me.value.separation_of_duties)
  const amount = (value: number | null, say: (text: string) => string) =>
    value === null ? [] : [say(money(value, budget.currency))]
  return (
    <Section title={t.autonomy} note={mayChange ? t.autonomyNote : t.ownersOnly}>
      {change.error === undefined ? null : <Failure error={change.error} compact />}
      <Facts
        items={[
          ...AREAS.map(
            (area) =>
              [
                t.areas[area],
                mayChange ? (
                  <Choice
                    label={t.areas[area]}
                    tabs={t.levels}
                    value={autonomy[area]}
                    onChange={(level) => void change.run({ autonomy: { [area]: level } })}
                  />
                ) : (
                  t.levels[autonomy[area]]
                ),
              ] as const,
          ),
          operator.model === null ? undefined : [t.model, operator.model.name],
          [t.next, next === null ? t.notPlanned : <Timestamp at={next} />],
          paused === null ? undefined : [t.pausedUntil, <Timestamp at={paused} />],
          [
            t.budget,
            [
              ...amount(budget.per_purchase, t.perPurchase),
              ...amount(budget.left_today, t.today),
              ...amount(budget.left_this_week, t.thisWeek),
            ].join(', '),
          ],
        ]}
      />
      <div class="row">
        {paused !== null && mayChange ? (
          <Button needs="putOperator" busy={change.busy} onClick={() => void change.run({ paused_until: null })}>
            {t.resume}
          </Button>
        ) : null}
        {paused === null ? (
          <Button
            needs="putOperator"
            busy={change.busy}
            onClick={() => void change.run({ paused_until: new Date(nowMs() + DAY_MS).toISOString() })}
          >
            {t.pause}
          </Button>
        ) : null}
      </div>
    </Section>
  )
}
