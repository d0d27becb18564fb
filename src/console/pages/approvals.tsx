/** Approval requests: what is asked, which rule requires it, and the effect of approving and rejecting. */
import { useState } from 'preact/hooks'
import type { Approval } from '../../contract/approval.ts'
import type { Checkout } from '../../contract/checkout.ts'
import { useAction } from '../lib/action.ts'
import { client } from '../lib/api.ts'
import { totalOf } from '../lib/format.ts'
import { isEnglish, texts } from '../lib/i18n.ts'
import { may, me } from '../lib/me.ts'
import { collect, useResource } from '../lib/resource.ts'
import { href, query, setQuery } from '../lib/router.ts'
import { useGuardrails, usePending } from '../lib/queries.ts'
import { approvalText, personName } from '../lib/service-text.ts'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/failure.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Notice } from '../ui/notice.tsx'
import { Badge } from '../ui/badge.tsx'
import { Choice } from '../ui/choice.tsx'
import { Empty } from '../ui/empty.tsx'
import { Facts } from '../ui/facts.tsx'
import { Money } from '../ui/money.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { ServiceDetail } from '../ui/service-detail.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { RelativeTime } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'

const DECIDED_MAX = 100
const REFRESH_ON = ['approval', 'checkout', 'price_change', 'replenishment']

export function Approvals({ id }: { readonly id: string }) {
  const t = texts().approvals
  const show = id ? 'one' : query('show') === 'decided' ? 'decided' : 'pending'
  return (
    <>
      <PageHeader
        title={texts().pages.approvals}
        lead={t.lead}
        {...(id ? { back: { href: '/approvals', text: t.all } } : {})}
      />
      {show === 'one' ? null : (
        <Choice
          label={t.filter}
          value={show}
          onChange={(value) => setQuery({ show: value === 'pending' ? undefined : value })}
          tabs={[
            { name: 'pending', text: t.pending },
            { name: 'decided', text: t.decided },
          ]}
        />
      )}
      {me.value?.separation_of_duties === false ? <p class="note">{t.noOwner}</p> : null}
      {show === 'one' ? <SingleApproval id={id} /> : show === 'pending' ? <PendingList /> : <DecidedList />}
    </>
  )
}

function PendingList() {
  const t = texts().approvals
  const pending = usePending()
  return (
    <Loaded resource={pending} wait={<Skeleton lines={6} height={60} />}>
      {(list) => (
        <div class="stack inbox" aria-live="polite">
          {list.length === 0 ? (
            <Empty icon="check" title={t.none}>
              {t.noneText}
            </Empty>
          ) : null}
          {list.map((approval) => (
            <ApprovalCard key={approval.id} approval={approval} decided={() => void pending.reload()} />
          ))}
        </div>
      )}
    </Loaded>
  )
}

function SingleApproval({ id }: { readonly id: string }) {
  const one = useResource(`approval ${id}`, (signal) => client.getApproval({ params: { id }, signal }), REFRESH_ON)
  return (
    <Loaded resource={one}>
      {(approval) => <ApprovalCard approval={approval} decided={() => void one.reload()} />}
    </Loaded>
  )
}

function DecidedList() {
  const t = texts().approvals
  const decided = useResource(
    'approvals?decided',
    async (signal) =>
      (
        await collect(client.all.listApprovals({ query: { status: 'all', limit: DECIDED_MAX }, signal }), DECIDED_MAX)
      ).filter(({ status }) => status !== 'pending'),
    REFRESH_ON,
  )
  return (
    <Loaded resource={decided}>
      {(list) =>
        list.length === 0 ? (
          <Empty icon="approvals" title={t.noneDecided} />
        ) : (
          <ul class="rows card">
            {list.map((approval) => (
              <li key={approval.id}>
                <div>
                  <a href={href.approval(approval.id)}>{approvalText(approval).summary}</a>
                  <p class="faint">
                    {texts().kinds[approval.kind]} · <RelativeTime at={approval.resolved_at ?? approval.at} />
                    {approval.resolved_by ? ` · ${personName(approval.resolved_by)}` : ''}
                  </p>
                </div>
                <StatusBadge approval={approval} />
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  )
}

const StatusBadge = ({ approval: { status } }: { readonly approval: Approval }) => (
  <Badge tone={status === 'pending' ? 'warn' : status === 'approved' ? 'ok' : 'bad'}>
    {texts().approvalStatus[status]}
  </Badge>
)

/** The total of the subject, if it has one. */
function useAmount({ subject }: Approval): { readonly amount: number; readonly currency: string } | undefined {
  const amount = useResource(`amount ${subject.type} ${subject.id}`, async (signal) => {
    const params = { id: subject.id }
    const amountOf = ({ totals, currency }: Pick<Checkout, 'totals' | 'currency'>) => ({
      amount: totalOf(totals),
      currency,
    })
    if (subject.type === 'checkout') return amountOf(await client.getCheckout({ params, signal }))
    if (subject.type === 'replenishment_run') return amountOf(await client.getRun({ params, signal }))
    return null
  })
  return amount.data ?? undefined
}

function subjectLink({ subject }: Approval): string | undefined {
  if (subject.type === 'checkout') return href.purchase(subject.id)
  if (subject.type === 'replenishment_run') return href.run(subject.id)
  return undefined
}

const REASONING_SHORT = 240

/** The rule in the reader's language, or else the service's reasoning, cut if it is long. */
function Reasoning({ approval }: { readonly approval: Approval }) {
  const [expanded, setExpanded] = useState(false)
  const { reason } = approvalText(approval)
  const { reasoning } = approval
  if (reason !== undefined || !isEnglish())
    return (
      <div class="reasoning">
        {reason}
        <ServiceDetail text={reasoning} />
      </div>
    )
  const isCut = reasoning.length > REASONING_SHORT && !expanded
  return (
    <p class="reasoning">
      {isCut ? `${reasoning.slice(0, REASONING_SHORT)}… ` : reasoning}
      {isCut ? (
        <button type="button" class="linklike" onClick={() => setExpanded(true)}>
          {texts().approvals.showAll}
        </button>
      ) : null}
    </p>
  )
}

function ApprovalCard({ approval, decided }: { readonly approval: Approval; readonly decided: () => void }) {
  const t = texts().approvals
  const [asking, setAsking] = useState<boolean>()
  const { summary } = approvalText(approval)
  const amount = useAmount(approval)
  const { rules, currency = '' } = useGuardrails().data ?? {}
  const link = subjectLink(approval)
  const effects = t.effects[approval.subject.type]
  const resolve = useAction(async (approved: boolean) => {
    await client.resolveApproval({ params: { id: approval.id }, body: { approved } })
    toast(approved ? t.approvedToast(summary) : t.rejectedToast(summary))
    decided()
  })
  const limit =
    approval.subject.type === 'price_change'
      ? rules?.priceCapPerItem
      : approval.subject.type === 'slot'
        ? undefined
        : rules?.spendingLimitPerRun
  return (
    <article class="card decision" aria-label={summary}>
      <div class="decision-head">
        <Badge tone="info">{texts().kinds[approval.kind]}</Badge>
        <span class="faint">
          <RelativeTime at={approval.at} />
        </span>
        {approval.status === 'pending' ? null : <StatusBadge approval={approval} />}
      </div>
      <h2>{summary}</h2>
      <Reasoning approval={approval} />
      <Facts
        items={[
          amount === undefined
            ? undefined
            : [
                t.amount,
                <strong>
                  <Money {...amount} />
                </strong>,
              ],
          limit === undefined
            ? undefined
            : [
                approval.subject.type === 'price_change' ? t.cap : t.limit,
                <Money amount={limit} currency={currency} />,
              ],
          approval.by ? [t.askedBy, `${personName(approval.by.name)} (${texts().roles[approval.by.role]})`] : undefined,
          [t.subject, link ? <a href={link}>{approval.subject.id}</a> : <code>{approval.subject.id}</code>],
        ]}
      />
      {approval.status === 'pending' ? (
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
          {resolve.error === undefined ? null : <Failure error={resolve.error} retry={decided} compact />}
          {may('resolveApproval') ? null : <p class="note">{t.ownersDecide}</p>}
          {asking === undefined ? (
            <div class="decision-buttons">
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
            <div class="decision-buttons" role="group" aria-label={t.sure}>
              <Button onClick={() => setAsking(undefined)} disabled={resolve.busy}>
                {t.back}
              </Button>
              <Button
                kind={asking ? 'yes' : 'danger'}
                busy={resolve.busy}
                autofocus
                onClick={() => void resolve.run(asking)}
              >
                {asking ? t.confirmApprove[approval.subject.type] : t.confirmReject}
              </Button>
            </div>
          )}
        </>
      ) : (
        <Notice tone={approval.status === 'approved' ? 'ok' : 'info'} title={texts().approvalStatus[approval.status]}>
          {approval.resolved_at ? <RelativeTime at={approval.resolved_at} /> : null}
          {approval.resolved_by ? ` · ${personName(approval.resolved_by)}` : ''}
          {link && approval.status === 'approved' ? (
            <>
              {' '}
              <a href={link}>{t.open}</a>
            </>
          ) : null}
        </Notice>
      )}
    </article>
  )
}
