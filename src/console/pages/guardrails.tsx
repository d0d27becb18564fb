/** The rules as the deployment states them, and the emergency stop, which is pulled here and released on the host. */
import { useState } from 'preact/hooks'
import type { Guardrails as Rules } from '../../contract/guardrails.ts'
import { useAction } from '../lib/action.ts'
import { client } from '../lib/api.ts'
import { yuan } from '../lib/format.ts'
import { w } from '../lib/i18n.ts'
import { useGuardrails } from '../lib/queries.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Failure, Loaded, Messages } from '../ui/messages.tsx'
import { Badge, Facts, Moment, PageHeader, Section } from '../ui/parts.tsx'
import { toast } from '../ui/toast.tsx'

const REASON_MAX = 1000

export function Guardrails() {
  const words = w().guardrails
  const guardrails = useGuardrails()
  const [pulling, setPulling] = useState(false)
  return (
    <>
      <PageHeader title={w().pages.guardrails} lead={words.lead} />
      {/* Unreadable rules are the very moment one may want to stop everything, so the stop does not wait for them. */}
      <div class="two-thirds">
        <div class="stack">
          <Loaded of={guardrails}>{(data) => <Stated data={data} />}</Loaded>
        </div>
        <Stop data={guardrails.data} onPull={() => setPulling(true)} />
      </div>
      {pulling ? <Pull onClose={() => setPulling(false)} onPulled={() => void guardrails.reload()} /> : null}
    </>
  )
}

function Stated({ data }: { readonly data: Rules }) {
  const words = w().guardrails
  const { rules } = data
  return (
    <>
      <Messages of={data.messages} />
      <Section title={words.rules} note={words.rulesNote}>
        <Facts
          of={[
            [
              words.limit,
              <>
                <strong>{yuan(rules.spendingLimitPerRun)}</strong>
                <p class="note">{words.limitText}</p>
              </>,
            ],
            [
              words.cap,
              <>
                <strong>{yuan(rules.priceCapPerItem)}</strong>
                <p class="note">{words.capText}</p>
              </>,
            ],
            [
              words.noGos,
              rules.hardNoGos.length === 0 ? (
                words.noNoGos
              ) : (
                <>
                  {rules.hardNoGos.map((entry) => (
                    <Badge key={entry} tone="bad">
                      {entry}
                    </Badge>
                  ))}
                  <p class="note">{words.noGosText}</p>
                </>
              ),
            ],
            [
              words.probation,
              data.probationUntil ? (
                <>
                  <Moment at={data.probationUntil} />{' '}
                  {data.probation_active ? <Badge tone="warn">{words.active}</Badge> : null}
                  <p class="note">{words.probationText}</p>
                </>
              ) : (
                words.noProbation
              ),
            ],
            [words.administrators, words.administratorsText(data.administrators, data.administrator_chats)],
          ]}
        />
      </Section>
    </>
  )
}

function Stop({ data, onPull }: { readonly data: Rules | undefined; readonly onPull: () => void }) {
  const words = w().guardrails
  const stop = data?.emergency_stop
  const engaged = stop?.engaged ?? false
  return (
    <div class="stack side-column">
      <Section title={words.stop} class={engaged ? 'engaged' : ''}>
        <p>
          <Badge tone={stop === undefined ? 'calm' : engaged ? 'bad' : 'ok'}>
            {stop === undefined ? words.unknown : engaged ? words.on : words.off}
          </Badge>
        </p>
        <p class="note">{engaged ? words.onText : words.offText}</p>
        {engaged ? (
          <Facts
            of={[
              stop?.since ? [words.since, <Moment at={stop.since} />] : undefined,
              stop?.by ? [words.by, stop.by] : undefined,
              stop?.reason ? [words.reason, stop.reason] : undefined,
              [words.source, stop?.sources.map((source) => words.sources[source]).join(', ')],
            ]}
          />
        ) : null}
        {engaged ? (
          <>
            <h3>{words.release}</h3>
            {stop?.sources.includes('pulled') ? (
              <>
                <p class="note">{words.releaseText}</p>
                <pre class="command">npx vendops release</pre>
              </>
            ) : null}
            {stop?.sources.includes('file') ? <p class="note">{words.releaseFile}</p> : null}
          </>
        ) : (
          <Button kind="danger" icon="stop" onClick={onPull}>
            {words.pull}
          </Button>
        )}
      </Section>
    </div>
  )
}

function Pull({ onClose, onPulled }: { readonly onClose: () => void; readonly onPulled: () => void }) {
  const words = w().guardrails
  const [reason, setReason] = useState('')
  const pull = useAction(async () => {
    await client.pullEmergencyStop({ body: { reason: reason.trim() } })
    toast(words.pulled)
    onPulled()
    onClose()
  })
  return (
    <Dialog
      title={words.pull}
      onClose={onClose}
      held={pull.busy}
      onSubmit={() => {
        if (reason.trim()) void pull.run()
      }}
      footer={
        <>
          <Button onClick={onClose} disabled={pull.busy}>
            {w().cancel}
          </Button>
          <Button kind="danger" icon="stop" type="submit" busy={pull.busy} disabled={reason.trim() === ''}>
            {words.pullNow}
          </Button>
        </>
      }
    >
      <p>{words.pullText}</p>
      <Field
        label={words.reason}
        name="reason"
        value={reason}
        onInput={setReason}
        maxLength={REASON_MAX}
        autofocus
        required
      />
      {pull.error === undefined ? null : <Failure error={pull.error} />}
    </Dialog>
  )
}
