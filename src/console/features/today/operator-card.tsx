/** On Today: what the operator did last, what it waits for, and one press to switch it on. */
import { client } from '../../lib/service/api.ts'
import { useAction } from '../../lib/service/action.ts'
import { textsOf } from '../../lib/text/i18n.ts'
import { shiftSummary } from '../activity/shift-text.ts'
import { href } from '../../lib/router.ts'
import { useOperator, usePending } from '../../lib/service/queries.ts'
import { approvalText } from '../../lib/text/service-text.ts'
import { ACTIVITY } from '../../locales/work/activity.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.tsx'
import { RelativeTime } from '../../ui/value.tsx'

export function OperatorCard() {
  const t = textsOf(ACTIVITY)
  const operator = useOperator()
  const pending = usePending().data ?? []
  const switchOn = useAction(async () => {
    const changed = await client.putOperator({ body: { autonomy: { restock: 'act', swaps: 'propose' } } })
    await client.startShift({})
    toast(t.switchedOn)
    operator.put(changed)
  })
  const { data } = operator
  /** In the reader's language, where it is known. */
  const textOf = (id: string, text: string): string => {
    const asked = pending.find((approval) => approval.id === id)
    return asked ? approvalText(asked).summary : text
  }
  if (!data) return null
  const { autonomy, last_shift: last, waiting_for: waits, next_wake_at: next } = data
  const isOff = Object.values(autonomy).every((level) => level === 'off')
  if (isOff && !last)
    return (
      <Section title={t.title} note={t.isOff}>
        {switchOn.error === undefined ? null : <Failure error={switchOn.error} compact />}
        <div class="row">
          <Button kind="primary" needs="putOperator" busy={switchOn.busy} onClick={() => void switchOn.run()}>
            {t.switchOn}
          </Button>
          <ButtonLink href="/activity">{t.autonomy}</ButtonLink>
        </div>
      </Section>
    )
  return (
    <Section
      title={t.title}
      note={next === null ? t.notPlanned : undefined}
      aside={<ButtonLink href="/activity">{t.all}</ButtonLink>}
    >
      <div class="stack">
        {last ? (
          <p>
            <a href={href.shift(last.id)}>{shiftSummary(last)}</a>{' '}
            <span class="faint">
              <RelativeTime at={last.started_at} />
            </span>
          </p>
        ) : (
          <p>{t.never}</p>
        )}
        {waits.slice(0, WAITS_SHOWN).map(({ id, type, text }) => (
          <p key={id}>
            {t.waitsFor}: <a href={type === 'approval' ? href.approval(id) : href.purchase(id)}>{textOf(id, text)}</a>
          </p>
        ))}
        {waits.length > WAITS_SHOWN ? <p class="note">{t.waits(waits.length)}</p> : null}
      </div>
    </Section>
  )
}

const WAITS_SHOWN = 3
