/** One run: its lines and cost; order it, cancel it, receive it. */
import { useEffect, useState } from 'preact/hooks'
import type { ReplenishmentRun } from '../../../contract/shapes/run.ts'
import { client } from '../../lib/service/api.ts'
import { STATUS_TONE } from '../purchases/checkout.ts'
import { runSize } from '../../../kernel/sizes.ts'
import { count, money, totalOf } from '../../lib/text/format.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { useResource } from '../../lib/service/resource.ts'
import { may, seesMoney } from '../../lib/service/me.ts'
import { href, query } from '../../lib/router.ts'
import {
  isBeforeOrder,
  isFromStoreroom,
  linesWithoutSupplier,
  openPurchases,
  supplyOf,
  unitsFromStoreroom,
  withoutUnbought,
} from './run-line.ts'
import { runName, runStatusText } from './run-text.ts'
import { useBlock, useNames } from '../../lib/service/queries.ts'
import { messageText } from '../../lib/text/service-text.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Messages } from '../../ui/messages.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Badge, Money, Timestamp } from '../../ui/value.tsx'
import { Facts, PageHeader, Section } from '../../ui/section.tsx'
import { SkuLink } from '../catalog/sku-link.tsx'
import { Timeline } from '../../ui/timeline.tsx'
import { ReceiveForm } from './receive-form.tsx'
import { CancelDialog, PlaceDialog } from './run-dialogs.tsx'
import { RunLines } from './run-lines.tsx'
import { ServiceDetail } from '../../ui/service-detail.tsx'
import { WaitingForOwner } from '../approvals/waiting-for-owner.tsx'
import { RUN_TONE } from './runs.tsx'

export function Run({ id }: { readonly id: string }) {
  const t = texts().run
  const run = useResource(`run ${id}`, (signal) => client.getRun({ params: { id }, signal }), [
    'replenishment',
    'approval',
    'checkout',
  ])
  const { name } = useNames((run.data?.line_items ?? []).map(({ location }) => location))
  return (
    <>
      <PageHeader
        title={run.data ? runName(run.data) : texts().pages.run}
        back={{ href: '/runs', text: texts().pages.runs }}
        badge={run.data ? <Badge tone={RUN_TONE[run.data.status]}>{runStatusText(run.data)}</Badge> : undefined}
        lead={run.data ? t.slots(run.data.line_items.length) : ' '}
        id={id}
      />
      <Loaded resource={run} lines={8} height={36}>
        {(data) => <RunView run={data} name={name} put={run.put} reload={() => void run.reload()} />}
      </Loaded>
    </>
  )
}

interface RunViewProps {
  readonly run: ReplenishmentRun
  readonly name: (location: string) => string
  readonly put: (run: ReplenishmentRun) => void
  readonly reload: () => void
}

function RunView({ run: placed, name, put, reload }: RunViewProps) {
  const t = texts().run
  const isBought = (placed.checkouts ?? []).length > 0
  const isListed = isBought || placed.status === 'placed'
  const list = useResource(
    `loads ${placed.id} ${isListed}`,
    async (signal) => (isListed ? client.getPickList({ params: { id: placed.id }, signal }) : undefined),
    ['checkout', 'replenishment'],
  )
  const run = withoutUnbought(placed, isBought ? list.data : undefined)
  const [placing, setPlacing] = useState(false)
  const isAsked = query('order') === 'now' && placed.status === 'approved'
  useEffect(() => {
    if (isAsked) setPlacing(true)
  }, [isAsked])
  const [receiving, setReceiving] = useState(false)
  const [canceling, setCanceling] = useState(false)
  const block = useBlock(texts().complete.stopped)
  const approval = Object.values(run.actions ?? {}).flat()[0]
  // Rejected by the owner, canceled, or all its purchases ended; the message says which.
  const closed =
    run.status === 'rejected'
      ? run.messages?.find(({ code }) => code === 'approval_rejected' || code === 'canceled')
      : undefined
  const closedText = closed && messageText(closed)
  const isStored = isFromStoreroom(run)
  const stored = unitsFromStoreroom(run)
  const placedAt = isStored ? t.stored.placedAt : t.placedAt
  const labels: Readonly<Record<string, string>> = {
    ...texts().fulfillment,
    delivered: texts().runStatus.delivered,
    ...(isStored ? { ordered: t.stored.started } : {}),
  }
  const events = run.fulfillment.events ?? []
  // 0.00 of a run without lines, one that the emergency stop prevented for example, would say nothing.
  const costs = seesMoney() && run.line_items.length > 0
  const leftOver = run.stays_in_storeroom
  const unresolved = linesWithoutSupplier(run)
  const open = openPurchases(run)
  const supply = supplyOf(run)
  return (
    <div class="two-thirds">
      <div class="stack">
        {run.status === 'pending_approval' ? (
          <WaitingForOwner approval={approval}>{t.waitingText}</WaitingForOwner>
        ) : null}
        {run.status === 'blocked' ? (
          <Notice tone="bad" title={t.blocked}>
            {t.blockedText}
          </Notice>
        ) : null}
        {/* Where slots are empty but no visit is due, the message says so; calling that enough stock would be wrong. */}
        {run.status === 'nothing_to_do' && !run.messages?.some(({ code }) => code === 'no_visit_due') ? (
          <Notice tone="ok" title={t.nothing}>
            {t.nothingText}
          </Notice>
        ) : null}
        {open.length > 0 ? (
          <Notice tone="warn" title={t.toConfirmTitle(open.length)}>
            <p>{t.toConfirmText}</p>
            <ul class="inline-list">
              {open.map(({ id, vendor }) => (
                <li key={id}>
                  <a href={href.purchase(id)}>{t.openPurchase(id, vendor)}</a>
                </li>
              ))}
            </ul>
          </Notice>
        ) : null}
        {closed ? (
          <Notice tone="bad" title={t.closed}>
            {closedText?.text}
            {closedText?.detail ? <ServiceDetail text={closedText.detail} /> : null}
          </Notice>
        ) : null}
        <Messages
          messages={(run.messages ?? []).filter(
            (message) =>
              message !== closed &&
              message.code !== 'unresolved_sku' &&
              !(run.status === 'blocked' && message.code === 'kill_switch_engaged') &&
              !(approval && message.code === 'approval_required'),
          )}
        />
        {unresolved.length > 0 && isBeforeOrder(run) && may('confirmAliases') ? (
          <Notice tone="warn" title={t.unresolved(unresolved.length)}>
            <p>{t.unresolvedText}</p>
            <ul class="inline-list">
              {[...new Map(unresolved.map((line) => [line.item.id, line])).values()].map((line) => (
                <li key={line.item.id}>
                  <SkuLink id={line.item.id} location={line.location}>
                    {line.item.title}
                  </SkuLink>
                </li>
              ))}
            </ul>
          </Notice>
        ) : null}
        {receiving ? (
          <ReceiveForm
            run={run}
            list={list.data}
            name={name}
            onClose={() => setReceiving(false)}
            put={(next) => {
              setReceiving(false)
              put(next)
            }}
          />
        ) : (
          <RunLines run={run} name={name} />
        )}
      </div>
      <div class="stack side-column">
        <Section title={costs ? words().cost : t.dates}>
          {costs ? (
            <>
              <p class="big-total">
                <Money
                  amount={totalOf(run.totals)}
                  currency={run.currency}
                  isEstimated={run.cost_is_estimated && !isStored}
                />
              </p>
              <p class="note">{isStored ? t.stored.cost : run.cost_is_estimated ? t.estimated : t.real}</p>
              {leftOver === undefined ? null : (
                <p class="note">{t.leftOver(money(leftOver.amount, leftOver.currency))}</p>
              )}
            </>
          ) : null}
          {stored > 0 && !(isStored && costs) ? (
            <p class="note">{isStored ? t.stored.cost : t.someStored(stored)}</p>
          ) : null}
          <Facts
            items={[
              [t.needed, count(runSize(run.line_items).units)],
              supply.bought > supply.needed ? [t.bought, t.wholeCases(supply.bought)] : undefined,
              [words().created, <Timestamp at={run.created_at} />],
              run.placed_at ? [placedAt, <Timestamp at={run.placed_at} />] : undefined,
              run.delivered_at ? [t.deliveredAt, <Timestamp at={run.delivered_at} />] : undefined,
              run.supplier ? [words().supplier, run.supplier === 'simulated' ? t.simulated : run.supplier] : undefined,
              run.note ? [words().note, run.note] : undefined,
            ]}
          />
          {run.status === 'approved' ? (
            <Button needs="placeRun" kind="primary" disabled={block !== undefined} onClick={() => setPlacing(true)}>
              {isStored ? t.stored.place : t.place}
            </Button>
          ) : null}
          {block && run.status === 'approved' ? <p class="note">{block.text}</p> : null}
          {isBeforeOrder(run) || isUnordered(run) ? (
            <Button needs="cancelRun" onClick={() => setCanceling(true)}>
              {t.cancel}
            </Button>
          ) : null}
          {run.status === 'placed' ? (
            <ButtonLink href={href.pickList(run.id)}>{texts().pages.pickList}</ButtonLink>
          ) : null}
          {run.status === 'placed' && !receiving ? (
            <Button needs="receiveRun" kind={open.length > 0 ? 'plain' : 'primary'} onClick={() => setReceiving(true)}>
              {isStored ? t.stored.receive : t.receive}
            </Button>
          ) : null}
        </Section>
        {(run.checkouts?.length ?? 0) > 0 ? (
          <Section title={t.checkouts}>
            <ul class="rows">
              {run.checkouts?.map(({ id, vendor, status }) => (
                <li key={id}>
                  <span>
                    <a href={href.purchase(id)}>{id}</a> <span class="faint">{vendor}</span>
                  </span>
                  <Badge tone={STATUS_TONE[status]}>
                    {/* A run does not say whether it was sent, or handed to a person who has to pay. */}
                    {status === 'complete_in_progress' ? texts().purchase.inProgress : texts().checkoutStatus[status]}
                  </Badge>
                </li>
              ))}
            </ul>
          </Section>
        ) : null}
        {events.length > 0 ? (
          <Section title={words().history}>
            <Timeline
              label={words().history}
              steps={events.map((event) => ({
                text: labels[event.type] ?? event.type,
                at: event.occurred_at,
                note: event.description ?? machinesOf(run, event).map(name).join(texts().connections.comma),
                state: 'done',
              }))}
            />
          </Section>
        ) : null}
      </div>
      {placing ? <PlaceDialog run={run} onClose={() => setPlacing(false)} put={put} reload={reload} /> : null}
      {canceling ? <CancelDialog run={run} onClose={() => setCanceling(false)} put={put} reload={reload} /> : null}
    </div>
  )
}

/** Placed, and nothing was sent to a supplier or loaded: none of its purchases, or it has none. */
const isUnordered = ({ status, supplier, checkouts = [], visits = [] }: ReplenishmentRun): boolean =>
  status === 'placed' &&
  (checkouts.length > 0
    ? checkouts.every((each) => each.status !== 'completed' && each.status !== 'complete_in_progress')
    : supplier === undefined && visits.every((visit) => visit.status === 'open'))

/** The machines of a delivery that did not reach all of them. */
function machinesOf(
  { line_items: lines }: ReplenishmentRun,
  event: NonNullable<ReplenishmentRun['fulfillment']['events']>[number],
): readonly string[] {
  const ids = new Set(event.line_items.map(({ id }) => id))
  const machines = new Set(lines.flatMap(({ id, location }) => (ids.has(id) ? [location] : [])))
  return lines.every(({ location }) => machines.has(location)) ? [] : [...machines]
}
