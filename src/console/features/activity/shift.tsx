/** One shift of the operator: what it saw, did, and why. */
import type { ShiftStep } from '../../../contract/shapes/operator/operator.ts'
import { client } from '../../lib/service/api.ts'
import { texts, textsOf } from '../../lib/text/i18n.ts'
import { useResource } from '../../lib/service/resource.ts'
import { href } from '../../lib/router.ts'
import { shiftSummary, stepWords } from './shift-text.ts'
import { ACTIVITY } from '../../locales/work/activity.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader, Section } from '../../ui/section.tsx'
import { ShiftBadge } from './shift-badge.tsx'
import { ShiftModel } from './shift-model.tsx'
import { Badge, Timestamp } from '../../ui/value.tsx'

const POLL_MS = 5000

export function ShiftPage({ id }: { readonly id: string }) {
  const t = textsOf(ACTIVITY)
  const shift = useResource(
    `shift ${id}`,
    (signal) => client.getShift({ params: { id }, signal }),
    ['operator'],
    POLL_MS,
    'getShift',
  )
  const { data } = shift
  return (
    <>
      <PageHeader
        title={texts().pages.shift}
        back={{ href: '/activity', text: texts().pages.activity }}
        lead={data ? shiftSummary(data) : undefined}
        badge={data ? <ShiftBadge status={data.status} /> : undefined}
      />
      <Loaded resource={shift}>
        {(loaded) => {
          const { steps, started_at: at, trigger, dry_run: isDryRun } = loaded
          return (
            <div class="stack">
              <Section
                title={t.journal}
                note={
                  <>
                    <Timestamp at={at} />, {t.triggers[trigger]} {isDryRun ? <Badge>{t.dryRun}</Badge> : null}
                  </>
                }
              >
                <div class="stack">
                  {steps.map((step) => (
                    <Step key={`${step.step} ${step.outcome}`} step={step} />
                  ))}
                </div>
              </Section>
              <ShiftModel shift={loaded} />
            </div>
          )
        }}
      </Loaded>
    </>
  )
}

function Step({ step }: { readonly step: ShiftStep }) {
  const t = textsOf(ACTIVITY)
  const { saw, did, because } = stepWords(step)
  const { reference, outcome } = step
  const to =
    reference?.type === 'replenishment_run'
      ? href.run(reference.id)
      : reference?.type === 'checkout'
        ? href.purchase(reference.id)
        : reference?.type === 'approval'
          ? href.approval(reference.id)
          : undefined
  const tone =
    outcome === 'done'
      ? 'ok'
      : outcome === 'refused' || outcome === 'unknown'
        ? 'bad'
        : outcome === 'asked' || outcome === 'taken_over'
          ? 'warn'
          : 'calm'
  return (
    <div>
      <p class="line">
        <Badge tone={tone}>{t.outcomes[outcome]}</Badge>
        <strong>{to === undefined ? did : <a href={to}>{did}</a>}</strong>
      </p>
      {saw === '' ? null : (
        <p class="note">
          {t.saw}: {saw}
        </p>
      )}
      {because === '' ? null : (
        <p class="note">
          {t.because}: {because}
        </p>
      )}
    </div>
  )
}
