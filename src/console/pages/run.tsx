/** One run: place it, receive what really came, and see what it costs. */
import { useState } from 'preact/hooks'
import type { ReplenishmentRun } from '../../contract/replenishment.ts'
import { useAction } from '../lib/action.ts'
import { client } from '../lib/api.ts'
import { STATUS_TONE } from '../lib/checkout.ts'
import { totalOf, yuan } from '../lib/format.ts'
import { w } from '../lib/i18n.ts'
import { plannedOf } from '../lib/plan.ts'
import { useResource } from '../lib/resource.ts'
import { href } from '../lib/router.ts'
import { namesOf, useLocations } from '../lib/queries.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Failure, Loaded, Messages, Notice } from '../ui/messages.tsx'
import { Badge, Facts, Moment, Money, PageHeader, Section, Skeleton, Timeline } from '../ui/parts.tsx'
import { Receive } from '../ui/receive.tsx'
import { toast } from '../ui/toast.tsx'
import { RUN_TONE } from './runs.tsx'

export function Run({ id }: { readonly id: string }) {
  const words = w().run
  const run = useResource(`run ${id}`, (signal) => client.getRun({ params: { id }, signal }), [
    'replenishment',
    'approval',
    'checkout',
  ])
  const name = namesOf(useLocations().data)
  const status = run.data?.status
  return (
    <>
      <PageHeader
        title={id}
        back={{ href: '/runs', text: w().pages.runs }}
        badge={status ? <Badge tone={RUN_TONE[status]}>{w().runStatus[status]}</Badge> : undefined}
        lead={
          run.data
            ? words.lead(run.data.line_items.length, new Set(run.data.line_items.map(({ location }) => location)).size)
            : ' '
        }
      />
      <Loaded of={run} wait={<Skeleton lines={8} height={36} />}>
        {(data) => <Shown run={data} name={name} put={run.put} reload={() => void run.reload()} />}
      </Loaded>
    </>
  )
}

interface ShownProps {
  readonly run: ReplenishmentRun
  readonly name: (location: string) => string
  readonly put: (run: ReplenishmentRun) => void
  readonly reload: () => void
}

function Shown({ run, name, put, reload }: ShownProps) {
  const words = w().run
  const [placing, setPlacing] = useState(false)
  const [receiving, setReceiving] = useState(false)
  const [canceling, setCanceling] = useState(false)
  const approval = Object.values(run.actions ?? {}).flat()[0]
  // Rejected by the owner or canceled: the message says which.
  const closed = run.messages?.find(({ code }) => code === 'approval_rejected')
  const labels = w().fulfillment as Readonly<Record<string, string>>
  const unresolved = run.line_items.filter(({ source, status }) => source === undefined && status !== 'removed')
  return (
    <div class="two-thirds">
      <div class="stack">
        {run.status === 'pending_approval' ? (
          <Notice
            tone="warn"
            title={words.waits}
            action={
              approval ? (
                <a class="button primary" href={href.approval(approval.id)}>
                  <span>{words.decide}</span>
                </a>
              ) : undefined
            }
          >
            {words.waitsText}
          </Notice>
        ) : null}
        {run.status === 'blocked' ? (
          <Notice tone="bad" title={words.blocked}>
            {words.blockedText}
          </Notice>
        ) : null}
        {run.status === 'nothing_to_do' ? (
          <Notice tone="ok" title={words.nothing}>
            {words.nothingText}
          </Notice>
        ) : null}
        {closed ? (
          <Notice tone="bad" title={words.closed}>
            {closed.content}
          </Notice>
        ) : null}
        <Messages
          of={(run.messages ?? []).filter(
            (message) =>
              message !== closed &&
              message.code !== 'unresolved_sku' &&
              !(approval && message.code === 'approval_required'),
          )}
        />
        {unresolved.length > 0 && run.status !== 'delivered' && run.status !== 'rejected' ? (
          <Notice tone="warn" title={words.unresolved(unresolved.length)}>
            <p>{words.unresolvedText}</p>
            <ul class="inline-list">
              {[...new Map(unresolved.map((line) => [line.item.id, line])).values()].map((line) => (
                <li key={line.item.id}>
                  <a href={href.sku(line.item.id, line.location)}>{line.item.title}</a>
                </li>
              ))}
            </ul>
          </Notice>
        ) : null}
        {receiving ? (
          <Receive
            run={run}
            name={name}
            onClose={() => setReceiving(false)}
            put={(next) => {
              setReceiving(false)
              put(next)
            }}
          />
        ) : (
          <Lines run={run} name={name} />
        )}
      </div>
      <div class="stack side-column">
        <Section title={words.cost}>
          <p class="big-sum">
            {run.cost_is_estimated ? <span class="faint">≈ </span> : null}
            <Money fen={totalOf(run.totals)} />
          </p>
          <p class="note">{run.cost_is_estimated ? words.estimated : words.real}</p>
          <Facts
            of={[
              [words.made, <Moment at={run.created_at} />],
              run.placed_at ? [words.placedAt, <Moment at={run.placed_at} />] : undefined,
              run.delivered_at ? [words.deliveredAt, <Moment at={run.delivered_at} />] : undefined,
              run.supplier
                ? [words.supplier, run.supplier === 'simulated' ? words.simulated : run.supplier]
                : undefined,
              run.note ? [words.note, run.note] : undefined,
            ]}
          />
          {run.status === 'approved' ? (
            <Button kind="primary" onClick={() => setPlacing(true)}>
              {words.place}
            </Button>
          ) : null}
          {run.status === 'approved' || run.status === 'pending_approval' ? (
            <Button onClick={() => setCanceling(true)}>{words.cancel}</Button>
          ) : null}
          {run.status === 'placed' && !receiving ? (
            <Button kind="primary" onClick={() => setReceiving(true)}>
              {words.receive}
            </Button>
          ) : null}
        </Section>
        {(run.checkouts?.length ?? 0) > 0 ? (
          <Section title={words.checkouts}>
            <ul class="rows">
              {run.checkouts?.map(({ id, vendor, status }) => (
                <li key={id}>
                  <span>
                    <a href={href.purchase(id)}>{id}</a> <span class="faint">{vendor}</span>
                  </span>
                  <Badge tone={STATUS_TONE[status]}>{w().checkoutStatus[status]}</Badge>
                </li>
              ))}
            </ul>
          </Section>
        ) : null}
        <Section title={words.events}>
          <Timeline
            label={words.events}
            steps={(run.fulfillment.events ?? []).map((event) => ({
              text: labels[event.type] ?? event.type,
              at: event.occurred_at,
              note: event.description,
              state: 'done',
            }))}
          />
        </Section>
      </div>
      {placing ? <Place run={run} onClose={() => setPlacing(false)} put={put} reload={reload} /> : null}
      {canceling ? <Cancel run={run} onClose={() => setCanceling(false)} put={put} reload={reload} /> : null}
    </div>
  )
}

function Lines({ run, name }: Pick<ShownProps, 'run' | 'name'>) {
  const words = w().run
  const machines = Map.groupBy(run.line_items, ({ location }) => location)
  return (
    <>
      {[...machines].map(([location, lines]) => (
        <Section
          key={location}
          title={name(location)}
          flush
          aside={<a href={href.machine(location)}>{words.openMachine}</a>}
        >
          <div class="table-box">
            <table class="data">
              <thead>
                <tr>
                  <th scope="col">{words.item}</th>
                  <th scope="col" class="number">
                    {words.planned}
                  </th>
                  {run.status === 'delivered' ? (
                    <th scope="col" class="number">
                      {words.received}
                    </th>
                  ) : null}
                  <th scope="col" class="number">
                    {words.lineCost}
                  </th>
                  <th scope="col">{words.source}</th>
                </tr>
              </thead>
              <tbody>
                {lines.map((line) => (
                  <tr key={line.id}>
                    <td>
                      <a href={href.sku(line.item.id, line.location)}>{line.item.title}</a>
                    </td>
                    <td class="number" data-label={words.planned}>
                      {plannedOf(line)}
                    </td>
                    {run.status === 'delivered' ? (
                      <td class="number" data-label={words.received}>
                        <span class={line.quantity.fulfilled === plannedOf(line) ? '' : 'text-warn'}>
                          {line.quantity.fulfilled}
                        </span>
                      </td>
                    ) : null}
                    <td class="number" data-label={words.lineCost}>
                      {line.cost_is_estimated ? <span class="faint">≈ </span> : null}
                      <Money fen={totalOf(line.totals)} />
                    </td>
                    <td data-label={words.source}>
                      {line.source ? (
                        <a href={href.sku(line.source.sku_id)} class="mono">
                          {line.source.sku_id}
                        </a>
                      ) : (
                        <a href={href.sku(line.item.id, line.location)}>
                          <Badge tone="warn">{words.fix}</Badge>
                        </a>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </Section>
      ))}
    </>
  )
}

interface DialogProps extends Pick<ShownProps, 'run' | 'put' | 'reload'> {
  readonly onClose: () => void
}

function Cancel({ run, onClose, put, reload }: DialogProps) {
  const words = w().run
  const cancel = useAction(async () => {
    put(await client.cancelRun({ params: { id: run.id } }))
    toast(words.canceledToast)
    onClose()
  })
  const close = () => {
    if (cancel.error !== undefined) reload()
    onClose()
  }
  return (
    <Dialog
      title={words.cancel}
      onClose={close}
      held={cancel.busy}
      onSubmit={() => void cancel.run()}
      footer={
        <>
          <Button onClick={close} disabled={cancel.busy}>
            {words.keep}
          </Button>
          <Button kind="danger" type="submit" busy={cancel.busy} autofocus>
            {cancel.busy ? words.canceling : words.cancel}
          </Button>
        </>
      }
    >
      <p>{words.cancelText}</p>
      {cancel.error === undefined ? null : <Failure error={cancel.error} />}
    </Dialog>
  )
}

function Place({ run, onClose, put, reload }: DialogProps) {
  const words = w().run
  const place = useAction(async () => {
    put(await client.placeRun({ params: { id: run.id } }))
    toast(words.placedToast)
    onClose()
  })
  const close = () => {
    if (place.error !== undefined) reload()
    onClose()
  }
  return (
    <Dialog
      title={words.place}
      onClose={close}
      held={place.busy}
      onSubmit={() => void place.run()}
      footer={
        <>
          <Button onClick={close} disabled={place.busy}>
            {w().cancel}
          </Button>
          <Button kind="primary" type="submit" busy={place.busy} autofocus>
            {place.busy
              ? words.placing
              : words.placeFor(`${run.cost_is_estimated ? '≈ ' : ''}${yuan(totalOf(run.totals))}`)}
          </Button>
        </>
      }
    >
      <p>{words.placeText}</p>
      {place.error === undefined ? null : <Failure error={place.error} />}
    </Dialog>
  )
}
