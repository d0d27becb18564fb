/** The rules, which owners set where the rules file leaves them open, and the emergency stop, which is pulled and released here. */
import type { ComponentChildren, ComponentProps } from 'preact'
import { useState } from 'preact/hooks'
import type { EditableRule, Guardrails as Rules, LimitUsage } from '../../../contract/shapes/guardrails.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { decimal, money } from '../../lib/text/format.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { may, me } from '../../lib/service/me.ts'
import { areRulesUnset, useGuardrails } from '../../lib/service/queries.ts'
import { useResource } from '../../lib/service/resource.ts'
import { personName } from '../../lib/text/value-text.ts'
import { ChooseCurrency } from '../connections/choose-currency.tsx'
import { ActionDialog } from '../../ui/form/action-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Messages } from '../../ui/messages.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PullStopDialog, ReasonField } from './stop-dialog.tsx'
import { RuleHistory } from './rule-history.tsx'
import { FirstRules, RuleDialog } from './rule-dialog.tsx'
import { Badge, Bar, Timestamp } from '../../ui/value.tsx'
import { Facts, PageHeader, Section } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.tsx'

export function Guardrails() {
  const t = texts().guardrails
  const guardrails = useGuardrails()
  const [pulling, setPulling] = useState(false)
  const [releasing, setReleasing] = useState(false)
  const currency = me.value?.currency
  // No rules file, and rules that an owner has not set yet: they are set here.
  const unset = guardrails.data === undefined && areRulesUnset(guardrails.error)
  return (
    <>
      <PageHeader title={texts().pages.guardrails} lead={t.lead} />
      {/* The stop must also be available while the rules cannot be read. */}
      <div class="two-thirds">
        <div class="stack">
          {unset && currency !== undefined ? (
            <Section title={t.firstTitle}>
              {may('changeRules') ? (
                <FirstRulesAfterCurrency currency={currency} onSaved={() => void guardrails.reload()} />
              ) : (
                <p>{t.firstOthers}</p>
              )}
            </Section>
          ) : (
            <Loaded resource={guardrails}>
              {(data) => <RulesSection data={data} onSaved={() => void guardrails.reload()} />}
            </Loaded>
          )}
          <RuleHistory />
        </div>
        <StopSection data={guardrails.data} onPull={() => setPulling(true)} onRelease={() => setReleasing(true)} />
      </div>
      {pulling ? <PullStopDialog onClose={() => setPulling(false)} onPulled={() => void guardrails.reload()} /> : null}
      {releasing ? (
        <ReleaseDialog onClose={() => setReleasing(false)} onReleased={() => void guardrails.reload()} />
      ) : null}
    </>
  )
}

/** Limits are amounts: without a chosen currency nobody knows of what. */
function FirstRulesAfterCurrency(props: ComponentProps<typeof FirstRules>) {
  const settings = useResource('settings', (signal) => client.getSettings({ signal }), ['guardrail'])
  return (
    <Loaded resource={settings}>
      {({ currency_chosen: isChosen }) =>
        isChosen ? <FirstRules {...props} /> : <ChooseCurrency before="rules" onChosen={() => void settings.reload()} />
      }
    </Loaded>
  )
}

function RulesSection({ data, onSaved }: { readonly data: Rules; readonly onSaved: () => void }) {
  const t = texts().guardrails
  const [editing, setEditing] = useState<EditableRule>()
  const used = data.limits.filter(({ window }) => window !== 'run')
  const rows = data.origins.filter(({ rule }) => rule !== 'killSwitchEngaged')
  // Their ids are not shown to anybody, so they are set whole, on the command line.
  const isEditable = (rule: EditableRule) =>
    rule !== 'administrators' && rule !== 'administratorChats' && may('changeRules')
  return (
    <>
      <Messages messages={data.messages} />
      {data.missing_limits.length > 0 ? (
        <Notice tone="warn" title={t.missingTitle}>
          {t.missingText(data.missing_limits.map((rule) => t.names[rule][0]))}
        </Notice>
      ) : null}
      <Section title={t.rules} note={may('changeRules') ? t.rulesOwnerNote : t.rulesNote}>
        <Facts
          items={rows.map((origin) => {
            const rule = origin.rule as EditableRule
            const limits = used.filter((limit) => limit.rule === rule)
            return [
              t.names[rule][0],
              <>
                <strong>{ruleText(data, rule)}</strong>{' '}
                {rule === 'probationUntil' && data.probation_active ? <Badge tone="warn">{t.active}</Badge> : null}
                {origin.editable ? (
                  isEditable(rule) ? (
                    <Button
                      needs="changeRules"
                      kind="quiet"
                      small
                      icon="edit"
                      aria-label={t.editRule(t.names[rule][0])}
                      onClick={() => setEditing(rule)}
                    >
                      {t.edit}
                    </Button>
                  ) : null
                ) : (
                  <span class="faint">
                    <Icon name="lock" size={14} /> {t.onServer}
                  </span>
                )}
                <p class="note">{t.names[rule][1]}</p>
                {limits.map(({ key: who, ...limit }) => (
                  <Budget
                    key={`${limit.window} ${limit.supplier} ${who}`}
                    {...limit}
                    who={who}
                    currency={data.currency}
                  />
                ))}
              </>,
            ] as const
          })}
        />
      </Section>
      {editing === undefined ? null : (
        <RuleDialog rule={editing} data={data} onClose={() => setEditing(undefined)} onSaved={onSaved} />
      )}
    </>
  )
}

/** The value of a rule in words. */
function ruleText(data: Rules, rule: EditableRule): ComponentChildren {
  const t = texts().guardrails
  const { rules, currency } = data
  const amount = (value: number | undefined) => (value === undefined ? t.notSet : money(value, currency))
  switch (rule) {
    case 'spendingLimitPerRun':
    case 'spendingLimitPerDay':
    case 'spendingLimitPerWeek':
    case 'priceCapPerItem':
    case 'priceDriftPerWeek':
    case 'maxUnitPrice':
      return amount(rules[rule])
    case 'maxQuantityPerLine':
      return rules.maxQuantityPerLine === undefined ? t.notSet : decimal(rules.maxQuantityPerLine)
    case 'minimumMarginPercent':
      return rules.minimumMarginPercent === undefined ? t.notSet : t.marginOf(rules.minimumMarginPercent)
    case 'spendingLimitBySupplier':
    case 'spendingLimitByKey':
      return Object.keys(rules[rule] ?? {}).join(', ') || t.notSet
    case 'hardNoGos':
      return rules.hardNoGos.length === 0
        ? t.noNoGos
        : rules.hardNoGos.map((entry) => (
            <Badge key={entry} tone="bad">
              {entry}
            </Badge>
          ))
    case 'probationUntil':
      return data.probationUntil ? <Timestamp at={data.probationUntil} /> : t.noProbation
    case 'ownersMayApproveTheirOwn':
      return rules.ownersMayApproveTheirOwn === undefined
        ? t.notSet
        : rules.ownersMayApproveTheirOwn
          ? t.ownApprovalsYes
          : t.ownApprovalsNo
    case 'newProducts':
      return rules.newProducts ? t.yes : t.no
    case 'layoutChangesPerVisit':
      return decimal(rules.layoutChangesPerVisit)
    case 'administrators':
      return decimal(data.administrators)
    case 'administratorChats':
      return decimal(data.administrator_chats)
    case 'autonomy.restock':
      return t.levels[rules.autonomy.restock]
    case 'autonomy.prices':
      return t.levels[rules.autonomy.prices]
    case 'autonomy.swaps':
      return t.levels[rules.autonomy.swaps]
  }
}

/** From this share on, little of a budget is left. */
const NEARLY_USED = 0.8

function Budget({
  used,
  limit,
  frees_at,
  window,
  supplier,
  who,
  currency,
}: Omit<LimitUsage, 'key'> & { readonly who: string | undefined; readonly currency: string }) {
  const t = texts().guardrails
  const share = limit === 0 ? 1 : used / limit
  return (
    <>
      {t.budget(window, supplier, who)}: {t.usedOf(money(used, currency), money(limit, currency))}{' '}
      <Bar share={share} tone={share >= 1 ? 'bad' : share >= NEARLY_USED ? 'warn' : 'ok'} />
      {frees_at === undefined ? null : (
        <p class="note">
          {t.freesAt} <Timestamp at={frees_at} />
        </p>
      )}
    </>
  )
}

interface StopProps {
  readonly data: Rules | undefined
  readonly onPull: () => void
  readonly onRelease: () => void
}

function StopSection({ data, onPull, onRelease }: StopProps) {
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
            {stop?.sources.includes('pulled') && !stop.sources.includes('file') ? (
              may('releaseEmergencyStop') ? (
                <Button needs="releaseEmergencyStop" icon="unlock" onClick={onRelease}>
                  {t.releaseNow}
                </Button>
              ) : (
                <>
                  <p class="note">{t.releaseText}</p>
                  <pre class="command">npx vendops release</pre>
                </>
              )
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

/** Typed by hand, so that nobody releases the stop by accident. */
const WORD = 'release'

function ReleaseDialog({ onClose, onReleased }: { readonly onClose: () => void; readonly onReleased: () => void }) {
  const t = texts().guardrails
  const [word, setWord] = useState('')
  const [reason, setReason] = useState(t.releaseReason)
  const release = useAction(async () => {
    await client.releaseEmergencyStop({ body: { word: WORD, reason: reason.trim() } })
    toast(t.released)
    onReleased()
    onClose()
  })
  return (
    <ActionDialog
      title={t.releaseNow}
      action={release}
      icon="unlock"
      submit={t.releaseNow}
      ready={word.trim() === WORD && reason.trim() !== ''}
      onClose={onClose}
    >
      <p>{t.releaseSure}</p>
      <Field
        label={t.typeWord(WORD)}
        name="word"
        value={word}
        onInput={setWord}
        autocomplete="off"
        autofocus
        required
      />
      <ReasonField value={reason} onInput={setReason} />
    </ActionDialog>
  )
}
