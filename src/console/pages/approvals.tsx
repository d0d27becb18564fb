/** The inbox: what, why, how much, which rule, and what happens on yes and on no. */
import { useState } from 'preact/hooks'
import type { Approval } from '../../contract/approval.ts'
import { useAction } from '../lib/action.ts'
import { client } from '../lib/api.ts'
import { totalOf } from '../lib/format.ts'
import { w } from '../lib/i18n.ts'
import { gather, useResource } from '../lib/resource.ts'
import { href, query, setQuery } from '../lib/router.ts'
import { useGuardrails, usePending } from '../lib/queries.ts'
import { Button } from '../ui/button.tsx'
import { Failure, Loaded, Notice } from '../ui/messages.tsx'
import { Badge, Choice, Empty, Facts, Money, PageHeader, Skeleton, When } from '../ui/parts.tsx'
import { toast } from '../ui/toast.tsx'

const DECIDED_MAX = 100
const REFRESH_ON = ['approval', 'checkout', 'price_change', 'replenishment']

export function Approvals({ id }: { readonly id: string }) {
  const words = w().approvals
  const show = id ? 'one' : query('show') === 'decided' ? 'decided' : 'pending'
  return (
    <>
      <PageHeader
        title={w().pages.approvals}
        lead={words.lead}
        {...(id ? { back: { href: '/approvals', text: words.all } } : {})}
      />
      {show === 'one' ? null : (
        <Choice
          label={words.filter}
          value={show}
          onChange={(value) => setQuery({ show: value === 'pending' ? undefined : value })}
          tabs={[
            { name: 'pending', text: words.pending },
            { name: 'decided', text: words.decided },
          ]}
        />
      )}
      {show === 'one' ? <One id={id} /> : show === 'pending' ? <Pending /> : <Decided />}
    </>
  )
}

function Pending() {
  const words = w().approvals
  const pending = usePending()
  return (
    <Loaded of={pending} wait={<Skeleton lines={6} height={60} />}>
      {(list) => (
        <div class="stack inbox" aria-live="polite">
          {list.length === 0 ? (
            <Empty icon="check" title={words.none}>
              {words.noneText}
            </Empty>
          ) : null}
          {list.map((approval) => (
            <Decision key={approval.id} approval={approval} decided={() => void pending.reload()} />
          ))}
        </div>
      )}
    </Loaded>
  )
}

function One({ id }: { readonly id: string }) {
  const one = useResource(`approval ${id}`, (signal) => client.getApproval({ params: { id }, signal }), REFRESH_ON)
  return <Loaded of={one}>{(approval) => <Decision approval={approval} decided={() => void one.reload()} />}</Loaded>
}

function Decided() {
  const words = w().approvals
  const decided = useResource(
    'approvals?decided',
    async (signal) =>
      (
        await gather(client.all.listApprovals({ query: { status: 'all', limit: DECIDED_MAX }, signal }), DECIDED_MAX)
      ).filter(({ status }) => status !== 'pending'),
    REFRESH_ON,
  )
  return (
    <Loaded of={decided}>
      {(list) =>
        list.length === 0 ? (
          <Empty icon="approvals" title={words.noneDecided} />
        ) : (
          <ul class="rows card">
            {list.map((approval) => (
              <li key={approval.id}>
                <div>
                  <a href={href.approval(approval.id)}>{approval.summary}</a>
                  <p class="faint">
                    {w().kinds[approval.kind]} · <When at={approval.resolved_at ?? approval.at} />
                    {approval.resolved_by ? ` · ${approval.resolved_by}` : ''}
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
    {w().approvalStatus[status]}
  </Badge>
)

/** The sum at stake, where the subject has one. */
function useAmount({ subject }: Approval): number | undefined {
  const amount = useResource(`amount ${subject.type} ${subject.id}`, async (signal) => {
    const params = { id: subject.id }
    if (subject.type === 'checkout') return totalOf((await client.getCheckout({ params, signal })).totals)
    if (subject.type === 'replenishment_run') return totalOf((await client.getRun({ params, signal })).totals)
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

/** The rule and its figures come first; a long list of goods only when asked for. */
function Reasoning({ text }: { readonly text: string }) {
  const [whole, setWhole] = useState(false)
  const long = text.length > REASONING_SHORT
  return (
    <p class="reasoning">
      {long && !whole ? `${text.slice(0, REASONING_SHORT)}… ` : text}
      {long && !whole ? (
        <button type="button" class="linklike" onClick={() => setWhole(true)}>
          {w().approvals.whole}
        </button>
      ) : null}
    </p>
  )
}

function Decision({ approval, decided }: { readonly approval: Approval; readonly decided: () => void }) {
  const words = w().approvals
  const [asking, setAsking] = useState<boolean>()
  const amount = useAmount(approval)
  const rules = useGuardrails().data?.rules
  const link = subjectLink(approval)
  const effects = words.effects[approval.subject.type]
  const resolve = useAction(async (approved: boolean) => {
    await client.resolveApproval({ params: { id: approval.id }, body: { approved } })
    toast(approved ? words.approvedToast(approval.summary) : words.rejectedToast(approval.summary))
    decided()
  })
  const limit =
    approval.subject.type === 'price_change'
      ? rules?.priceCapPerItem
      : approval.subject.type === 'slot'
        ? undefined
        : rules?.spendingLimitPerRun
  return (
    <article class="card decision" aria-label={approval.summary}>
      <div class="decision-head">
        <Badge tone="info">{w().kinds[approval.kind]}</Badge>
        <span class="faint">
          <When at={approval.at} />
        </span>
        {approval.status === 'pending' ? null : <StatusBadge approval={approval} />}
      </div>
      <h2>{approval.summary}</h2>
      <Reasoning text={approval.reasoning} />
      <Facts
        of={[
          amount === undefined
            ? undefined
            : [
                words.amount,
                <strong>
                  <Money fen={amount} />
                </strong>,
              ],
          limit === undefined
            ? undefined
            : [approval.subject.type === 'price_change' ? words.cap : words.limit, <Money fen={limit} />],
          [words.subject, link ? <a href={link}>{approval.subject.id}</a> : <code>{approval.subject.id}</code>],
        ]}
      />
      {approval.status === 'pending' ? (
        <>
          <dl class="effects">
            <div>
              <dt>{words.onYes}</dt>
              <dd>{effects.yes}</dd>
            </div>
            <div>
              <dt>{words.onNo}</dt>
              <dd>{effects.no}</dd>
            </div>
          </dl>
          {resolve.error === undefined ? null : <Failure error={resolve.error} retry={decided} compact />}
          {asking === undefined ? (
            <div class="decision-buttons">
              <Button
                kind="no"
                icon="cross"
                onClick={() => setAsking(false)}
                aria-label={`${words.reject}: ${approval.summary}`}
              >
                {words.reject}
              </Button>
              <Button
                kind="yes"
                icon="check"
                onClick={() => setAsking(true)}
                aria-label={`${words.approve}: ${approval.summary}`}
              >
                {words.approve}
              </Button>
            </div>
          ) : (
            <div class="decision-buttons" role="group" aria-label={words.sure}>
              <Button onClick={() => setAsking(undefined)} disabled={resolve.busy}>
                {words.back}
              </Button>
              <Button
                kind={asking ? 'yes' : 'danger'}
                busy={resolve.busy}
                autofocus
                onClick={() => void resolve.run(asking)}
              >
                {asking ? words.confirmYes[approval.subject.type] : words.confirmNo}
              </Button>
            </div>
          )}
        </>
      ) : (
        <Notice tone={approval.status === 'approved' ? 'ok' : 'info'} title={w().approvalStatus[approval.status]}>
          {approval.resolved_at ? <When at={approval.resolved_at} /> : null}
          {approval.resolved_by ? ` · ${approval.resolved_by}` : ''}
          {link && approval.status === 'approved' ? (
            <>
              {' '}
              <a href={link}>{words.open}</a>
            </>
          ) : null}
        </Notice>
      )}
    </article>
  )
}
