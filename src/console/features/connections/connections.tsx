/** The connections to vendors: whether they answer, what they can do, and what they sent that could not be read. */
import { useState } from 'preact/hooks'
import type { Connection } from '../../../contract/shapes/connection.ts'
import type { ConnectionFile } from '../../../contract/shapes/connections/files.ts'
import type { WebhookDelivery, WebhookList } from '../../../contract/shapes/webhook.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { deliveryProblem } from './delivery-problem.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { may } from '../../lib/service/me.ts'
import { useConnections } from '../../lib/service/queries.ts'
import { navigate, query } from '../../lib/router.ts'
import { useResource } from '../../lib/service/resource.ts'
import type { Tone } from '../../lib/text/tone.ts'
import { AddConnection, EditConnection } from './add-connection.tsx'
import { Upload } from './bring-file.tsx'
import { Badge, RelativeTime } from '../../ui/value.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Empty, Failure, Loaded } from '../../ui/loaded.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { Packs } from './packs.tsx'
import { Facts, PageHeader, Section } from '../../ui/section.tsx'
import { reasonText, serviceReason } from '../../ui/service-detail.tsx'
import { toast } from '../../ui/toast.tsx'

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
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <PageHeader
        title={texts().pages.connections}
        lead={t.lead}
        actions={
          <Button kind="primary" icon="plus" needs="addConnection" onClick={() => setAdding(true)}>
            {t.add.button}
          </Button>
        }
      />
      {isAdding ? (
        <AddConnection
          onClose={(added) => {
            setAdding(false)
            if (added) void connections.reload()
            // What a platform or files list is chosen next.
            if (added === 'machine') navigate('/setup/machines')
          }}
        />
      ) : null}
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
                  <ConnectionCard
                    key={connection.namespace}
                    connection={connection}
                    reload={() => void connections.reload()}
                  />
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

interface CardProps {
  readonly connection: Connection
  readonly reload: () => void
}

function ConnectionCard({ connection, reload }: CardProps) {
  const t = texts().connections
  const { namespace, role, state, capabilities, last_read_at: readAt, last_failure: failure } = connection
  const abilities = capabilities.map((name) => (t.abilities as Readonly<Record<string, string>>)[name] ?? name)
  return (
    <Section title={namespace} note={t.roles[role]} aside={<Badge tone={STATE_TONE[state]}>{t.states[state]}</Badge>}>
      <Facts
        items={[
          connection.managed === 'file'
            ? [
                words().source,
                <>
                  <Icon name="lock" size={15} /> {t.onServer}
                  <p class="note">{t.onServerReason}</p>
                </>,
              ]
            : undefined,
          connection.problem === undefined ? undefined : [words().reason, connection.problem],
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
          [t.refused, refusedText(connection)],
        ]}
      />
      {role === 'machine' && capabilities.includes('locations') ? (
        <div class="line">
          <ButtonLink needs="putLocation" href="/setup/machines">
            {texts().pages.setupMachines}
          </ButtonLink>
        </div>
      ) : null}
      {connection.waiting_packs ? <Packs namespace={namespace} /> : null}
      {connection.managed === 'store' ? <OwnConnection connection={connection} reload={reload} /> : null}
      {connection.refused_rows.length > 0 ? (
        <RefusedRows rows={connection.refused_rows} all={connection.refused_count} />
      ) : null}
    </Section>
  )
}

/** Those that wait for an answer are left out, too, and are counted as such. */
function refusedText({ refused_count: all, waiting_packs: waiting = 0 }: Connection): string {
  const t = texts().connections
  if (all === 0) return t.noneRefused
  return waiting > 0 && all >= waiting ? t.refusedAndWaiting(all - waiting, waiting) : t.refusedRows(all)
}

/** One that an owner made: files, a test read, changing and removing it. */
function OwnConnection({ connection: { namespace, adapter = '', role }, reload }: CardProps) {
  const t = texts().connections
  const kinds = FILES_OF[`${adapter} ${role}`] ?? []
  const files = useResource(
    `files ${namespace}`,
    (signal) => client.listFiles({ params: { namespace }, signal }),
    ['sync'],
    undefined,
    'listFiles',
  )
  const test = useAction(async () => {
    const { ok, summary } = await client.testConnection({ params: { namespace } })
    toast(ok ? t.testOk(summary) : t.testFailed(summary))
  })
  const [isChanging, setChanging] = useState(false)
  const [isRemoving, setRemoving] = useState(false)
  const remove = useAction(async () => {
    await client.removeConnection({ params: { namespace } })
    toast(t.removed)
    reload()
  })
  const decide = useAction(async (id: string, use: boolean) => {
    await client.decideFile({ params: { namespace, id }, body: { use } })
    await files.reload()
  })
  return (
    <div class="stack">
      {(files.data?.files ?? [])
        .filter(({ state }) => state === 'waiting')
        .map(({ id, name, summary }) => (
          <div class="stack" key={id}>
            <strong>{t.files.waits(name)}</strong>
            <p class="note">{summary}</p>
            <div class="line">
              <Button needs="decideFile" busy={decide.busy} onClick={() => void decide.run(id, true)}>
                {t.files.agree}
              </Button>
              <Button needs="decideFile" kind="quiet" busy={decide.busy} onClick={() => void decide.run(id, false)}>
                {t.files.discard}
              </Button>
            </div>
          </div>
        ))}
      {kinds.length > 0 && may('uploadFile') ? (
        <Upload
          namespace={namespace}
          kinds={kinds}
          wanted={query('reply') === namespace && kinds.includes('reply') ? 'reply' : undefined}
          onUsed={(state) => {
            toast(state === 'waiting' ? t.files.waiting : t.files.used)
            void files.reload()
            reload()
          }}
        />
      ) : null}
      {decide.error ? <Failure error={decide.error} /> : null}
      {test.error ? <Failure error={test.error} /> : null}
      {remove.error ? <Failure error={remove.error} /> : null}
      {isChanging ? (
        <EditConnection
          namespace={namespace}
          onClose={(isChanged) => {
            setChanging(false)
            if (isChanged) reload()
          }}
        />
      ) : null}
      <div class="line">
        <Button small needs="changeConnection" onClick={() => setChanging(true)}>
          {t.change}
        </Button>
        <Button small needs="testConnection" action={test}>
          {t.test}
        </Button>
        {isRemoving ? (
          <>
            <span>{t.removeAsk(namespace)}</span>
            <Button small kind="danger" needs="removeConnection" action={remove}>
              {t.remove}
            </Button>
            <Button small kind="quiet" onClick={() => setRemoving(false)}>
              {texts().close}
            </Button>
          </>
        ) : (
          <Button small kind="quiet" needs="removeConnection" onClick={() => setRemoving(true)}>
            {t.remove}
          </Button>
        )}
      </div>
    </div>
  )
}

const FILES_OF: Readonly<Record<string, readonly ConnectionFile['kind'][]>> = {
  'price-list supply': ['price_list', 'reply'],
  'eva-dts machine': ['dex', 'planogram'],
  'sheet machine': ['sales', 'planogram'],
}

function RefusedRows({ rows, all }: { readonly rows: Connection['refused_rows']; readonly all: number }) {
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
          rows.some(({ row }) => row !== undefined)
            ? { title: t.row, cell: ({ row }) => row ?? '', isNumber: true }
            : undefined,
          { title: t.code, cell: ({ id }) => id ?? t.unnamed },
          {
            title: words().reason,
            cell: ({ problem }) => serviceReason(problem),
            value: ({ problem }) => reasonText(problem),
          },
          { title: t.since, cell: ({ first_seen_at: at }) => <RelativeTime at={at} /> },
        ]}
      />
      {all > rows.length ? <p class="note">{t.files.firstOf(rows.length, all)}</p> : null}
    </details>
  )
}
