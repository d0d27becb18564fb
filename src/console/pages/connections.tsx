/** The connections to vendors: whether they answer, what they can do, and what they sent that could not be read. */
import type { Connection } from '../../contract/shapes/connection.ts'
import type { WebhookDelivery, WebhookList } from '../../contract/shapes/webhook.ts'
import { useAction } from '../lib/action.ts'
import { client } from '../lib/api.ts'
import { deliveryProblem } from '../lib/delivery-problem.ts'
import { texts, words } from '../lib/i18n.ts'
import { useConnections } from '../lib/queries.ts'
import { useResource } from '../lib/resource.ts'
import type { Tone } from '../lib/tone.ts'
import { Badge, RelativeTime } from '../ui/value.tsx'
import { Button } from '../ui/button.tsx'
import { Empty, Loaded } from '../ui/loaded.tsx'
import { DataTable } from '../ui/data-table.tsx'
import { Packs } from '../ui/packs.tsx'
import { Facts, PageHeader, Section } from '../ui/section.tsx'
import { reasonText, serviceReason } from '../ui/service-detail.tsx'
import { toast } from '../ui/toast.tsx'

/** Deliveries cause no event, except those that are given up. */
const POLL_MS = 30_000

const STATE_TONE: Readonly<Record<Connection['state'], Tone>> = {
  ok: 'ok',
  failing: 'bad',
  unused: 'calm',
  not_ready: 'bad',
}

export function Connections() {
  const t = texts().connections
  const connections = useConnections()
  return (
    <>
      <PageHeader title={texts().pages.connections} lead={t.lead} />
      <div class="stack">
        <Loaded resource={connections}>
          {(list) =>
            list.length === 0 ? (
              <Empty icon="connections" title={t.none}>
                {t.noneText}
              </Empty>
            ) : (
              <div class="stack">
                {list.map((connection) => (
                  <ConnectionCard key={connection.namespace} connection={connection} />
                ))}
              </div>
            )
          }
        </Loaded>
        {connections.data ? <Webhooks /> : null}
      </div>
    </>
  )
}

const DELIVERY_TONE: Readonly<Record<WebhookDelivery['state'], Tone>> = {
  waiting: 'warn',
  delivered: 'ok',
  superseded: 'calm',
  dead: 'bad',
}

/** Nothing is shown where no order webhooks are configured. */
function Webhooks() {
  const webhooks = useResource('webhooks', (signal) => client.listWebhooks({ signal }), ['webhook'], POLL_MS)
  return (
    <Loaded resource={webhooks}>
      {({ targets }) => (
        <div class="stack">
          {targets.map((target) => (
            <WebhookCard key={target.id} target={target} onChange={() => void webhooks.reload()} />
          ))}
        </div>
      )}
    </Loaded>
  )
}

interface WebhookCardProps {
  readonly target: WebhookList['targets'][number]
  readonly onChange: () => void
}

function WebhookCard({ target, onChange }: WebhookCardProps) {
  const t = texts().connections
  const { id, url, kinds, waiting, oldest_waiting_at: oldest, last_delivery: last } = target
  const redeliver = useAction(async (delivery: string) => {
    await client.redeliverWebhook({ params: { id: delivery } })
    toast(t.redelivered)
    onChange()
  })
  return (
    <Section
      title={t.webhookTo(id)}
      note={url}
      aside={last ? <Badge tone={DELIVERY_TONE[last.state]}>{t.deliveryStates[last.state]}</Badge> : undefined}
    >
      <Facts
        items={[
          [t.receives, kinds.map((kind) => t.orderKinds[kind]).join(t.comma)],
          [
            t.waiting,
            oldest ? (
              <>
                {t.waitingSince(waiting)} <RelativeTime at={oldest} />
              </>
            ) : (
              t.nothingWaits
            ),
          ],
          last
            ? [
                t.lastDelivery,
                <>
                  {last.order_id} (<RelativeTime at={last.occurred_at} />)
                  {last.last_error ? <p class="note">{deliveryProblem(t.deliveryProblems, last.last_error)}</p> : null}
                </>,
              ]
            : undefined,
        ]}
      />
      {last && last.state !== 'delivered' ? (
        <Button needs="redeliverWebhook" onClick={() => void redeliver.run(last.id)} disabled={redeliver.busy}>
          {t.redeliver}
        </Button>
      ) : null}
    </Section>
  )
}

function ConnectionCard({ connection }: { readonly connection: Connection }) {
  const t = texts().connections
  const { namespace, role, state, capabilities, last_read_at: readAt, last_failure: failure } = connection
  const abilities = capabilities.map((name) => (t.abilities as Readonly<Record<string, string>>)[name] ?? name)
  return (
    <Section title={namespace} note={t.roles[role]} aside={<Badge tone={STATE_TONE[state]}>{t.states[state]}</Badge>}>
      <Facts
        items={[
          [t.lastRead, readAt ? <RelativeTime at={readAt} /> : t.never],
          failure
            ? [
                t.lastFailure,
                <>
                  {t.failures[failure.code]} (<RelativeTime at={failure.at} />)
                  <div class="note">{serviceReason(failure.content)}</div>
                </>,
              ]
            : undefined,
          [t.can, abilities.join(t.comma)],
          connection.waiting_packs ? [t.packs.title, t.packs.articles(connection.waiting_packs)] : undefined,
          [t.refused, connection.refused_count === 0 ? t.noneRefused : t.refusedRows(connection.refused_count)],
        ]}
      />
      {connection.waiting_packs ? <Packs namespace={namespace} /> : null}
      {connection.refused_rows.length > 0 ? <RefusedRows rows={connection.refused_rows} /> : null}
    </Section>
  )
}

function RefusedRows({ rows }: { readonly rows: Connection['refused_rows'] }) {
  const t = texts().connections
  return (
    <details>
      <summary>{t.showRefused}</summary>
      <DataTable
        csv={t.showRefused}
        rows={rows}
        keyOf={({ source, location, id, problem }) => `${source} ${location ?? ''} ${id ?? ''} ${problem}`}
        columns={[
          {
            title: words().source,
            cell: ({ source, location }) => [t.sources[source], location].filter(Boolean).join(' '),
          },
          { title: t.row, cell: ({ id }) => id ?? t.unnamed },
          {
            title: words().reason,
            cell: ({ problem }) => serviceReason(problem),
            value: ({ problem }) => reasonText(problem),
          },
          { title: t.since, cell: ({ first_seen_at: at }) => <RelativeTime at={at} /> },
        ]}
      />
    </details>
  )
}
