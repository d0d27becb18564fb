/** One approval request: what is asked, which rules require it, who asked, and the two buttons. */
import { useState } from 'preact/hooks'
import type { Approval } from '../../../contract/shapes/approval.ts'
import type { Message } from '../../../contract/common.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { money } from '../../lib/text/format.ts'
import { isEnglish, texts, words } from '../../lib/text/i18n.ts'
import { href, navigate } from '../../lib/router.ts'
import { may } from '../../lib/service/me.ts'
import { approvalKind, approvalText, optionLabel } from '../../lib/text/service-text.ts'
import { personAndRole } from '../../lib/text/value-text.ts'
import { isFromStoreroom, openPurchases } from '../runs/run-line.ts'
import { ApprovalTable } from './approval-table.tsx'
import { Badge, RelativeTime } from '../../ui/value.tsx'
import { Button } from '../../ui/button.tsx'
import { Facts } from '../../ui/section.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Messages } from '../../ui/messages.tsx'
import { NextStep, Subject } from './next-step.tsx'
import { RuleUse } from './rule-use.tsx'
import { ServiceDetail } from '../../ui/service-detail.tsx'
import { toast } from '../../ui/toast.tsx'

const COMMENT_MAX = 1000

export const StatusBadge = ({ approval: { status } }: { readonly approval: Approval }) => (
  <Badge tone={status === 'pending' ? 'warn' : status === 'approved' ? 'ok' : 'bad'}>
    {texts().approvalStatus[status]}
  </Badge>
)

/** The rules in the reader's language; the service's own reasoning, with everything it compared, is the detail. */
function Reasons({ approval }: { readonly approval: Approval }) {
  const { reasons } = approvalText(approval)
  if (reasons.length === 0 && isEnglish()) return <p class="reasoning">{approval.reasoning}</p>
  return (
    <div class="reasoning">
      {reasons.map((reason) => (
        <p key={reason}>{reason}</p>
      ))}
      {(approval.evidence ?? []).map((rule, index) =>
        rule.needs_approval ? <RuleUse key={index} rule={rule} /> : null,
      )}
      {reasons.includes(approval.reasoning) ? null : <ServiceDetail text={approval.reasoning} />}
    </div>
  )
}

export interface Decided {
  readonly approval: Approval
  readonly messages?: readonly Message[] | undefined
}

interface Props {
  readonly approval: Approval
  /** About the effect of the decision, just made. */
  readonly messages?: readonly Message[] | undefined
  readonly onDecided: (decided: Decided) => void
  /** Somebody else may have decided. */
  readonly reload: () => void
}

export function ApprovalCard({ approval, messages, onDecided, reload }: Props) {
  const t = texts().approvals
  const { summary } = approvalText(approval)
  const { details, by } = approval
  const destination = details?.destination
  return (
    <article class="card stack decision" aria-label={summary}>
      <div class="line decision-head">
        <Badge tone="info">{approvalKind(approval)}</Badge>
        <span class="faint">
          <RelativeTime at={approval.at} />
        </span>
        {approval.status === 'pending' ? null : <StatusBadge approval={approval} />}
      </div>
      <h2>{summary}</h2>
      <Reasons approval={approval} />
      <div class="stack decision-body">
        {details ? <ApprovalTable details={details} name={approval.id} /> : null}
        <Facts
          items={[
            details?.supplier === undefined ? undefined : [words().supplier, details.supplier],
            destination && [
              destination.method === 'pickup' ? t.pickupAt : words().deliverTo,
              [destination.name, destination.phone_number, destination.address].filter(Boolean).join(', '),
            ],
            by ? [t.askedBy, personAndRole(by.name, by.role)] : undefined,
            approval.answer?.option ? [t.answer, optionLabel(approval, approval.answer.option)] : undefined,
            approval.subject.type === 'note' ? undefined : [t.subject, <Subject approval={approval} />],
          ]}
        />
        {approval.status === 'pending' && approval.kind === 'note' ? (
          <Answer approval={approval} summary={summary} onDecided={onDecided} reload={reload} />
        ) : approval.status === 'pending' ? (
          <Decide approval={approval} summary={summary} onDecided={onDecided} reload={reload} />
        ) : (
          <>
            <Messages messages={messages} />
            <NextStep approval={approval} />
          </>
        )}
      </div>
    </article>
  )
}

/** A question: its options, or yes and no. The answer changes nothing else. */
function Answer({ approval, summary, onDecided, reload }: Omit<Props, 'messages'> & { readonly summary: string }) {
  const t = texts().approvals
  const [comment, setComment] = useState('')
  const answer = useAction(async (approved: boolean, option?: string) => {
    const said = comment.trim()
    const body = { approved, ...(option === undefined ? {} : { option }), ...(said === '' ? {} : { comment: said }) }
    const answered = await client.resolveApproval({ params: { id: approval.id }, body })
    toast(t.answeredToast(option === undefined ? (approved ? t.yes : t.no) : optionLabel(approval, option)))
    onDecided({ approval: answered, messages: answered.messages })
  })
  const options = approval.options ?? []
  const button = (label: string, approved: boolean, option?: string) => (
    <Button
      key={label}
      needs="resolveApproval"
      busy={answer.busy}
      aria-label={`${label}: ${summary}`}
      onClick={() => void answer.run(approved, option)}
    >
      {label}
    </Button>
  )
  return (
    <>
      {answer.error === undefined ? null : <Failure error={answer.error} retry={reload} compact />}
      {may('resolveApproval') ? null : <p class="note">{t.ownersDecide}</p>}
      <Field
        label={t.answerComment}
        name="comment"
        value={comment}
        onInput={setComment}
        maxLength={COMMENT_MAX}
        hint={t.answerHint}
      />
      <div class="decision-buttons" role="group" aria-label={summary}>
        {options.length === 0 ? button(t.no, false) : button(t.none, false)}
        {options.length === 0
          ? button(t.yes, true)
          : options.map((option) => button(optionLabel(approval, option), true, option))}
      </div>
    </>
  )
}

function Decide({ approval, summary, onDecided, reload }: Omit<Props, 'messages'> & { readonly summary: string }) {
  const t = texts().approvals
  const [asking, setAsking] = useState<boolean>()
  const [comment, setComment] = useState('')
  const effects = t.effects[approval.subject.type]
  const params = { id: approval.id }
  const resolve = useAction(async (approved: boolean) => {
    const said = comment.trim()
    const answer = await client.resolveApproval({
      params,
      body: { approved, ...(said === '' || approved ? {} : { comment: said }) },
    })
    toast(approved ? t.approvedToast(summary) : t.rejectedToast(summary))
    // Read again for the state of the subject, which says what comes next. The decision stands without it.
    const decided = await client.getApproval({ params }).catch(() => answer)
    onDecided({ approval: decided, messages: answer.messages })
    return true
  })
  const { details, subject } = approval
  const isOrderable = subject.type === 'replenishment_run' && details?.total !== undefined && may('placeRun')
  const order = useAction(async () => {
    if (!(await resolve.run(true))) return
    // The decision stands; where ordering fails, the page of the run says why and offers it again.
    const placed = await client
      .placeRun({ params: { id: subject.id }, idempotencyKey: `${approval.id}-place` })
      .catch(() => undefined)
    const [first, ...others] = placed ? openPurchases(placed) : []
    if (placed && !first) toast(isFromStoreroom(placed) ? texts().run.stored.placedToast : texts().run.placedToast)
    navigate(
      first && others.length === 0
        ? `${href.purchase(first.id)}?order=now`
        : `${href.run(subject.id)}${placed ? '' : '?order=now'}`,
    )
  })
  return (
    <>
      <dl class="effects">
        <div>
          <dt>{t.ifApproved}</dt>
          <dd>{effects.approved}</dd>
        </div>
        <div>
          <dt>{t.ifRejected}</dt>
          <dd>{effects.rejected}</dd>
        </div>
      </dl>
      {resolve.error === undefined ? null : <Failure error={resolve.error} retry={reload} compact />}
      {may('resolveApproval') ? null : <p class="note">{t.ownersDecide}</p>}
      {asking === undefined ? (
        <div class="decision-buttons decision-foot">
          <Button
            needs="resolveApproval"
            kind="no"
            icon="cross"
            onClick={() => setAsking(false)}
            aria-label={`${t.reject}: ${summary}`}
          >
            {t.reject}
          </Button>
          <Button
            needs="resolveApproval"
            kind="yes"
            icon="check"
            onClick={() => setAsking(true)}
            aria-label={`${t.approve}: ${summary}`}
          >
            {t.approve}
          </Button>
        </div>
      ) : (
        <form
          class="stack decision-foot"
          onSubmit={(event) => {
            event.preventDefault()
            void resolve.run(asking)
          }}
        >
          {asking ? null : (
            <Field
              label={t.comment}
              name="comment"
              value={comment}
              onInput={setComment}
              maxLength={COMMENT_MAX}
              hint={t.commentHint}
              autofocus
            />
          )}
          <div class="decision-buttons" role="group" aria-label={t.sure}>
            <Button onClick={() => setAsking(undefined)} disabled={resolve.busy}>
              {t.back}
            </Button>
            {asking && isOrderable ? (
              <Button needs="placeRun" kind="primary" action={order} disabled={resolve.busy}>
                {t.allowAndOrder(money((details.total ?? 0) - (details.unorderable?.total ?? 0), details.currency))}
              </Button>
            ) : null}
            <Button
              kind={asking ? 'yes' : 'danger'}
              type="submit"
              busy={resolve.busy}
              disabled={order.busy}
              autofocus={asking}
            >
              {asking ? t.confirmApprove[approval.subject.type] : t.confirmReject}
            </Button>
          </div>
        </form>
      )}
    </>
  )
}
