/** Approval requests: those that wait, and what was decided. */
import { useState } from 'preact/hooks'
import type { Approval } from '../../../contract/shapes/approval.ts'
import type { Message } from '../../../contract/common.ts'
import { client } from '../../lib/service/api.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { me } from '../../lib/service/me.ts'
import { collect, useResource } from '../../lib/service/resource.ts'
import { href, query } from '../../lib/router.ts'
import { usePendingDetails } from '../../lib/service/queries.ts'
import { approvalKind, approvalText } from '../../lib/text/service-text.ts'
import { personName } from '../../lib/text/value-text.ts'
import { type Decided, ApprovalCard, StatusBadge } from './approval-card.tsx'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/section.tsx'
import { RelativeTime } from '../../ui/value.tsx'
import { QueryChoice } from '../../ui/table/query-filters.tsx'

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
        <QueryChoice of="show" label={t.filter} value={show} tabs={{ pending: t.pending, decided: t.decided }} />
      )}
      {me.value?.separation_of_duties === false ? <p class="note">{t.noOwner}</p> : null}
      {show === 'one' ? <SingleApproval id={id} /> : show === 'pending' ? <PendingList /> : <DecidedList />}
    </>
  )
}

/** What was decided here stays above the list until the page is left, with the link to what comes next. */
function PendingList() {
  const t = texts().approvals
  const pending = usePendingDetails()
  const [decided, setDecided] = useState<readonly Decided[]>([])
  const reload = () => void pending.reload()
  const isDecided = ({ id }: Approval) => decided.some(({ approval }) => approval.id === id)
  const onDecided = (one: Decided) => {
    setDecided((before) => [one, ...before])
    reload()
  }
  return (
    <Loaded resource={pending} lines={6} height={60}>
      {(list) => (
        <div class="stack inbox" aria-live="polite">
          {decided.map(({ approval, messages }) => (
            <ApprovalCard
              key={approval.id}
              approval={approval}
              messages={messages}
              onDecided={onDecided}
              reload={reload}
            />
          ))}
          {list.length === 0 ? (
            <Empty icon="check" title={words().noneToDecide}>
              {t.noneText}
            </Empty>
          ) : null}
          {list
            .filter((approval) => !isDecided(approval))
            .map((approval) => (
              <ApprovalCard key={approval.id} approval={approval} onDecided={onDecided} reload={reload} />
            ))}
        </div>
      )}
    </Loaded>
  )
}

function SingleApproval({ id }: { readonly id: string }) {
  const one = useResource(`approval ${id}`, (signal) => client.getApproval({ params: { id }, signal }), REFRESH_ON)
  const [messages, setMessages] = useState<readonly Message[]>()
  return (
    <Loaded resource={one}>
      {(approval) => (
        <ApprovalCard
          approval={approval}
          messages={messages}
          onDecided={(decided) => {
            setMessages(decided.messages)
            void one.reload()
          }}
          reload={() => void one.reload()}
        />
      )}
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
                    {approvalKind(approval)} · <RelativeTime at={approval.resolved_at ?? approval.at} />
                    {approval.resolved_by ? ` · ${personName(approval.resolved_by)}` : ''}
                    {approval.comment ? ` · ${t.saidBecause(approval.comment)}` : ''}
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
