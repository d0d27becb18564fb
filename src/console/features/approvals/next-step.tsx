/** After a decision: who decided and why, and the link to what comes next. */
import type { Approval } from '../../../contract/shapes/approval.ts'
import { texts } from '../../lib/text/i18n.ts'
import { may } from '../../lib/service/me.ts'
import { href } from '../../lib/router.ts'
import { personName } from '../../lib/text/value-text.ts'
import { IdChip } from '../../ui/copy-text.tsx'
import { Notice } from '../../ui/notice.tsx'
import { RelativeTime } from '../../ui/value.tsx'

/** A swap names its machine in its parameters. */
const machineOf = ({ details, params }: Approval): string | undefined =>
  details?.location ?? (typeof params?.['machine'] === 'string' ? params['machine'] : undefined)

function subjectHref(approval: Approval): string | undefined {
  const { subject } = approval
  if (subject.type === 'checkout') return href.purchase(subject.id)
  if (subject.type === 'replenishment_run') return href.run(subject.id)
  const machine = machineOf(approval)
  return machine === undefined ? undefined : href.machine(machine)
}

/** As people call it: the machine of a price or a slot, else the purchase or the run, with its number. */
export function Subject({ approval }: { readonly approval: Approval }) {
  const { subject, details, params } = approval
  const t = texts().approvals.next
  const to = subjectHref(approval)
  if (to === undefined) return <code>{subject.id}</code>
  if (subject.type === 'checkout' || subject.type === 'replenishment_run')
    return (
      <>
        <a href={to}>{subject.type === 'checkout' ? t.purchase : t.run}</a> <IdChip id={subject.id} />
      </>
    )
  const name = details?.location_name ?? details?.location ?? params?.['name']
  return <a href={to}>{typeof name === 'string' ? name : subject.id}</a>
}

/** `isOpen`: somebody has to do it, nothing happens by itself. */
function nextStep(approval: Approval) {
  const t = texts().approvals.next
  const to = subjectHref(approval)
  if (to === undefined) return undefined
  const { kind, subject, details, status } = approval
  if (kind === 'note') return undefined
  const isOpen = status === 'approved'
  if (subject.type === 'checkout')
    return isOpen && details?.subject_status === 'ready_for_complete' && may('completeCheckout')
      ? { to: `${to}?order=now`, text: t.order, isOpen }
      : { to, text: t.purchase, isOpen: false }
  if (subject.type === 'replenishment_run')
    return isOpen && details?.subject_status === 'approved' && may('placeRun')
      ? { to: `${to}?order=now`, text: t.order, isOpen }
      : { to, text: t.run, isOpen: false }
  return { to, text: t.price, isOpen: false }
}

export function NextStep({ approval }: { readonly approval: Approval }) {
  const t = texts().approvals
  const { status, resolved_at: at, resolved_by: by, comment } = approval
  const step = nextStep(approval)
  return (
    <Notice
      tone={status === 'approved' ? 'ok' : 'info'}
      title={texts().approvalStatus[status]}
      action={
        step ? (
          <a class={step.isOpen ? 'button primary' : 'button'} href={step.to}>
            <span>{step.text}</span>
          </a>
        ) : null
      }
    >
      {at ? <RelativeTime at={at} /> : null}
      {by ? ` · ${personName(by)}` : ''}
      {comment ? <p>{t.saidBecause(comment)}</p> : null}
    </Notice>
  )
}
