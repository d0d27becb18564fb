/** The rules, read-only, and the emergency stop, which is pulled here and released on the server. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { GuardrailRules, Guardrails as Rules, LimitUsage } from '../../contract/shapes/guardrails.ts'
import { useAction } from '../lib/action.ts'
import { client } from '../lib/api.ts'
import { decimal, money } from '../lib/format.ts'
import { texts, words } from '../lib/i18n.ts'
import { useGuardrails } from '../lib/queries.ts'
import { personName } from '../lib/value-text.ts'
import { ActionDialog } from '../ui/action-dialog.tsx'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Messages } from '../ui/messages.tsx'
import { Badge, Bar, Timestamp } from '../ui/value.tsx'
import { Facts, PageHeader, Section } from '../ui/section.tsx'
import { toast } from '../ui/toast.tsx'

const REASON_MAX = 1000

export function Guardrails() {
  const t = texts().guardrails
  const guardrails = useGuardrails()
  const [pulling, setPulling] = useState(false)
  return (
    <>
      <PageHeader title={texts().pages.guardrails} lead={t.lead} />
      {/* The stop must also be available while the rules cannot be read. */}
      <div class="two-thirds">
        <div class="stack">
          <Loaded resource={guardrails}>{(data) => <RulesSection data={data} />}</Loaded>
        </div>
        <StopSection data={guardrails.data} onPull={() => setPulling(true)} />
      </div>
      {pulling ? <PullStopDialog onClose={() => setPulling(false)} onPulled={() => void guardrails.reload()} /> : null}
    </>
  )
}

function RulesSection({ data }: { readonly data: Rules }) {
  const t = texts().guardrails
  const { rules } = data
  const amountRule = (name: string, amount: number | undefined, note: string) =>
    amount === undefined ? undefined : ([name, <RuleText amount={money(amount, data.currency)} note={note} />] as const)
  const budgets = data.limits.filter(({ window }) => window !== 'run')
  /** A rule of the contract that is missing here does not compile. */
  const facts: Record<keyof GuardrailRules, readonly [string, ComponentChildren] | undefined> = {
    spendingLimitPerRun: [
      t.limit,
      <RuleText amount={money(rules.spendingLimitPerRun, data.currency)} note={t.limitText} />,
    ],
    priceCapPerItem: [t.cap, <RuleText amount={money(rules.priceCapPerItem, data.currency)} note={t.capText} />],
    hardNoGos: [
      t.noGos,
      rules.hardNoGos.length === 0 ? (
        t.noNoGos
      ) : (
        <>
          {rules.hardNoGos.map((entry) => (
            <Badge key={entry} tone="bad">
              {entry}
            </Badge>
          ))}
          <p class="note">{t.noGosText}</p>
        </>
      ),
    ],
    // Shown with the emergency stop.
    killSwitchEngaged: undefined,
    // Shown with what is used of them.
    spendingLimitPerDay: undefined,
    spendingLimitPerWeek: undefined,
    spendingLimitBySupplier: undefined,
    spendingLimitByKey: undefined,
    priceDriftPerWeek: amountRule(t.drift, rules.priceDriftPerWeek, t.driftText),
    minimumMarginPercent:
      rules.minimumMarginPercent === undefined
        ? undefined
        : [t.margin, <RuleText amount={t.marginOf(rules.minimumMarginPercent)} note={t.marginText} />],
    maxUnitPrice: amountRule(t.unitPrice, rules.maxUnitPrice, t.lineText),
    maxQuantityPerLine:
      rules.maxQuantityPerLine === undefined
        ? undefined
        : [t.quantity, <RuleText amount={decimal(rules.maxQuantityPerLine)} note={t.lineText} />],
    ownersMayApproveTheirOwn:
      rules.ownersMayApproveTheirOwn === undefined
        ? undefined
        : [t.ownApprovals, rules.ownersMayApproveTheirOwn ? t.ownApprovalsYes : t.ownApprovalsNo],
    autonomy: [t.autonomy, t.autonomyText(rules.autonomy)],
    // Of what the layouts propose.
    newProducts: undefined,
    layoutChangesPerVisit: undefined,
  }
  return (
    <>
      <Messages messages={data.messages} />
      <Section title={t.rules} note={t.rulesNote}>
        <Facts
          items={[
            ...Object.values(facts),
            [
              t.probation,
              data.probationUntil ? (
                <>
                  <Timestamp at={data.probationUntil} />{' '}
                  {data.probation_active ? <Badge tone="warn">{t.active}</Badge> : null}
                  <p class="note">{t.probationText}</p>
                </>
              ) : (
                t.noProbation
              ),
            ],
            [t.approvers, t.approversText(data.administrators, data.administrator_chats)],
          ]}
        />
      </Section>
      {budgets.length > 0 ? (
        <Section title={t.budgets} note={t.budgetsNote}>
          <Facts
            items={budgets.map((limit) => [
              t.budget(limit.window, limit.supplier, limit.key),
              <Budget {...limit} currency={data.currency} />,
            ])}
          />
        </Section>
      ) : null}
    </>
  )
}

/** From this share on, little of a budget is left. */
const NEARLY_USED = 0.8

function Budget({ used, limit, frees_at, currency }: LimitUsage & { readonly currency: string }) {
  const t = texts().guardrails
  const share = limit === 0 ? 1 : used / limit
  return (
    <>
      {t.usedOf(money(used, currency), money(limit, currency))}{' '}
      <Bar share={share} tone={share >= 1 ? 'bad' : share >= NEARLY_USED ? 'warn' : 'ok'} />
      {frees_at === undefined ? null : (
        <p class="note">
          {t.freesAt} <Timestamp at={frees_at} />
        </p>
      )}
    </>
  )
}

const RuleText = ({ amount, note }: { readonly amount: string; readonly note: string }) => (
  <>
    <strong>{amount}</strong>
    <p class="note">{note}</p>
  </>
)

function StopSection({ data, onPull }: { readonly data: Rules | undefined; readonly onPull: () => void }) {
  const t = texts().guardrails
  const stop = data?.emergency_stop
  const engaged = stop?.engaged ?? false
  return (
    <div class="stack side-column">
      <Section title={t.stop} class={engaged ? 'engaged' : ''}>
        <p>
          <Badge tone={stop === undefined ? 'calm' : engaged ? 'bad' : 'ok'}>
            {stop === undefined ? t.unknown : engaged ? t.on : t.off}
          </Badge>
        </p>
        <p class="note">{engaged ? t.onText : t.offText}</p>
        {engaged ? (
          <Facts
            items={[
              stop?.since ? [t.since, <Timestamp at={stop.since} />] : undefined,
              stop?.by ? [t.by, personName(stop.by)] : undefined,
              stop?.reason ? [words().reason, stop.reason] : undefined,
              [t.source, stop?.sources.map((source) => t.sources[source]).join(', ')],
            ]}
          />
        ) : null}
        {engaged ? (
          <>
            <h3>{t.release}</h3>
            {stop?.sources.includes('pulled') ? (
              <>
                <p class="note">{t.releaseText}</p>
                <pre class="command">npx vendops release</pre>
              </>
            ) : null}
            {stop?.sources.includes('file') ? <p class="note">{t.releaseFile}</p> : null}
          </>
        ) : (
          <Button needs="pullEmergencyStop" kind="danger" icon="stop" onClick={onPull}>
            {t.pull}
          </Button>
        )}
      </Section>
    </div>
  )
}

function PullStopDialog({ onClose, onPulled }: { readonly onClose: () => void; readonly onPulled: () => void }) {
  const t = texts().guardrails
  const [reason, setReason] = useState('')
  const pull = useAction(async () => {
    await client.pullEmergencyStop({ body: { reason: reason.trim() } })
    toast(t.pulled)
    onPulled()
    onClose()
  })
  return (
    <ActionDialog
      title={t.pull}
      action={pull}
      kind="danger"
      icon="stop"
      submit={t.pullNow}
      ready={reason.trim() !== ''}
      onClose={onClose}
    >
      <p>{t.pullText}</p>
      <Field
        label={words().reason}
        name="reason"
        value={reason}
        onInput={setReason}
        maxLength={REASON_MAX}
        autofocus
        required
      />
    </ActionDialog>
  )
}
