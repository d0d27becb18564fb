/** Setting one rule that the rules file leaves to the owner. */
import { useState } from 'preact/hooks'
import {
  type EditableRule,
  type Guardrails,
  type RulesRequest,
  AUTONOMY_LEVELS,
} from '../../../contract/shapes/guardrails.ts'
import { readTypedAmount } from '../../../kernel/typed-amount.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { amountText } from '../../lib/text/format.ts'
import { texts } from '../../lib/text/i18n.ts'
import { ActionDialog } from '../../ui/form/action-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { Field, Select } from '../../ui/form/field.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { toast } from '../../ui/toast.tsx'

type Kind = 'amount' | 'number' | 'flag' | 'list' | 'level' | 'names' | 'day'

/** How each rule is typed. A rule of the contract that is missing here does not compile. */
const KINDS: Readonly<Record<EditableRule, Kind>> = {
  spendingLimitPerRun: 'amount',
  spendingLimitPerDay: 'amount',
  spendingLimitPerWeek: 'amount',
  spendingLimitBySupplier: 'names',
  spendingLimitByKey: 'names',
  maxUnitPrice: 'amount',
  maxQuantityPerLine: 'number',
  priceCapPerItem: 'amount',
  priceDriftPerWeek: 'amount',
  minimumMarginPercent: 'number',
  hardNoGos: 'list',
  probationUntil: 'day',
  ownersMayApproveTheirOwn: 'flag',
  'autonomy.restock': 'level',
  'autonomy.prices': 'level',
  'autonomy.swaps': 'level',
  newProducts: 'flag',
  layoutChangesPerVisit: 'number',
  administrators: 'list',
  administratorChats: 'list',
}

const REQUIRED: ReadonlySet<EditableRule> = new Set(['spendingLimitPerRun', 'priceCapPerItem', 'hardNoGos'])

type Limits = NonNullable<Guardrails['rules']['spendingLimitByKey']>
type Windows = keyof Limits[string]
const WINDOWS = ['perRun', 'perDay', 'perWeek'] as const satisfies readonly Windows[]

const isBeside = (rule: EditableRule): boolean =>
  rule === 'probationUntil' || rule === 'administrators' || rule === 'administratorChats'

/** The request that sets one rule; null takes it back. */
function requestOf(rule: EditableRule, value: unknown): RulesRequest {
  const [, area] = rule.split('.')
  if (area !== undefined) return { rules: { autonomy: { [area]: value } } }
  return isBeside(rule) ? { [rule]: value } : { rules: { [rule]: value } }
}

const valueOf = ({ rules, probationUntil }: Guardrails, rule: EditableRule): unknown => {
  const [name, area] = rule.split('.')
  if (area !== undefined) return rules.autonomy[area as keyof typeof rules.autonomy]
  return rule === 'probationUntil' ? probationUntil : (rules as Readonly<Record<string, unknown>>)[name ?? '']
}

/** What is in the field at first. */
function typedOf(rule: EditableRule, value: unknown, currency: string): string {
  if (value === undefined || value === null) return ''
  if (KINDS[rule] === 'amount') return amountText(value as number, currency)
  if (KINDS[rule] === 'list') return (value as readonly string[]).join(', ')
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return KINDS[rule] === 'day' ? text.slice(0, 10) : text
}

/** What was typed, as the service takes it; undefined while it is not understood. */
function parse(rule: EditableRule, typed: string, currency: string): { readonly value: unknown } | undefined {
  const text = typed.trim()
  if (KINDS[rule] === 'list')
    return {
      value: text
        .split(/[,，\n]/)
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ''),
    }
  if (text === '') return REQUIRED.has(rule) ? undefined : { value: null }
  if (KINDS[rule] === 'amount') {
    const read = readTypedAmount(text, currency)
    return read.ok ? { value: read.amount } : undefined
  }
  if (KINDS[rule] === 'number') return /^\d{1,7}(?:\.\d{1,2})?$/.test(text) ? { value: Number(text) } : undefined
  if (KINDS[rule] === 'flag') return { value: text === 'true' }
  if (KINDS[rule] === 'day') {
    const at = new Date(`${text}T00:00:00`)
    return Number.isNaN(at.getTime()) ? undefined : { value: at.toISOString() }
  }
  return { value: text }
}

interface Props {
  readonly rule: EditableRule
  readonly data: Guardrails
  readonly onClose: () => void
  readonly onSaved: () => void
}

export const RuleDialog = (props: Props) =>
  KINDS[props.rule] === 'names' ? (
    <NamesDialog {...props} rule={props.rule as 'spendingLimitByKey' | 'spendingLimitBySupplier'} />
  ) : (
    <OneRuleDialog {...props} />
  )

function useSave({ onClose, onSaved }: Pick<Props, 'onClose' | 'onSaved'>, request: () => RulesRequest) {
  const t = texts().guardrails
  return useAction(async () => {
    await client.changeRules({ body: request() })
    toast(t.saved)
    onSaved()
    onClose()
  })
}

function OneRuleDialog({ rule, data, ...rest }: Props) {
  const t = texts().guardrails
  const [name, note] = t.names[rule]
  const [typed, setTyped] = useState(typedOf(rule, valueOf(data, rule), data.currency))
  const parsed = parse(rule, typed, data.currency)
  const save = useSave(rest, () => requestOf(rule, parsed?.value ?? null))
  const kind = KINDS[rule]
  const choices =
    kind === 'level'
      ? AUTONOMY_LEVELS.map((level) => [level, t.levels[level]] as const)
      : ([
          ['', t.notSet],
          ['true', t.yes],
          ['false', t.no],
        ] as const)
  return (
    <ActionDialog title={name} action={save} submit={t.save} ready={parsed !== undefined} onClose={rest.onClose}>
      {kind === 'level' || kind === 'flag' ? (
        <Select label={name} value={typed} onChange={setTyped} options={choices} hint={note} />
      ) : (
        <Field
          label={name}
          name="value"
          type={kind === 'day' ? 'date' : 'text'}
          value={typed}
          onInput={setTyped}
          autofocus
          hint={kind === 'list' ? t.commas : REQUIRED.has(rule) ? note : `${note} ${t.emptyText}`}
          error={parsed === undefined && typed.trim() !== '' ? t.notUnderstood : undefined}
          {...(kind === 'amount' || kind === 'number' ? { inputMode: 'decimal' as const } : {})}
        />
      )}
    </ActionDialog>
  )
}

/** The limits of one supplier, person or agent. */
function NamesDialog({ rule, data, ...rest }: Props & { rule: 'spendingLimitByKey' | 'spendingLimitBySupplier' }) {
  const t = texts().guardrails
  const [title, note] = t.names[rule]
  const all: Limits = data.rules[rule] ?? {}
  const [who, setWho] = useState('')
  const [typed, setTyped] = useState<Readonly<Record<Windows, string>>>({ perRun: '', perDay: '', perWeek: '' })
  const choose = (name: string) => {
    setWho(name)
    const known = all[name.trim()]
    if (!known) return
    const text = (window: Windows) => (known[window] === undefined ? '' : amountText(known[window], data.currency))
    setTyped({ perRun: text('perRun'), perDay: text('perDay'), perWeek: text('perWeek') })
  }
  const read = WINDOWS.map((window) => {
    const text = typed[window].trim()
    return [window, text === '' ? undefined : readTypedAmount(text, data.currency)] as const
  })
  const isUnderstood = read.every(([, amount]) => amount === undefined || amount.ok)
  const save = useSave(rest, () => {
    const limits = Object.fromEntries(read.flatMap(([window, amount]) => (amount?.ok ? [[window, amount.amount]] : [])))
    const { [who.trim()]: _, ...others } = all
    const next = Object.keys(limits).length === 0 ? others : { ...others, [who.trim()]: limits }
    return { rules: { [rule]: Object.keys(next).length === 0 ? null : next } }
  })
  return (
    <ActionDialog
      title={title}
      action={save}
      submit={t.save}
      ready={who.trim() !== '' && isUnderstood}
      onClose={rest.onClose}
    >
      <p>{note}</p>
      <Field label={t.who[rule]} name="who" value={who} onInput={choose} autofocus required />
      {WINDOWS.map((window) => (
        <Field
          key={window}
          label={t.windows[window]}
          name={window}
          inputMode="decimal"
          value={typed[window]}
          onInput={(value) => setTyped((before) => ({ ...before, [window]: value }))}
          error={read.some(([name, amount]) => name === window && amount?.ok === false) ? t.notUnderstood : undefined}
        />
      ))}
      <p class="note">{t.emptyNames}</p>
    </ActionDialog>
  )
}

/** Where there is no rules file: the three rules without which nothing is bought. */
export function FirstRules({ currency, onSaved }: { readonly currency: string; readonly onSaved: () => void }) {
  const t = texts().guardrails
  const [typed, setTyped] = useState({ spendingLimitPerRun: '', priceCapPerItem: '', hardNoGos: '' })
  const rules = ['spendingLimitPerRun', 'priceCapPerItem', 'hardNoGos'] as const
  const parsed = rules.map((rule) => [rule, parse(rule, typed[rule], currency)] as const)
  const isReady = parsed.every(([, value]) => value !== undefined)
  const save = useAction(async () => {
    const set = Object.fromEntries(parsed.map(([rule, value]) => [rule, value?.value]))
    await client.changeRules({ body: { rules: set } })
    toast(t.saved)
    onSaved()
  })
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) void save.run()
      }}
    >
      <p>{t.firstText}</p>
      {rules.map((rule) => (
        <Field
          key={rule}
          label={t.names[rule][0]}
          name={rule}
          value={typed[rule]}
          onInput={(value) => setTyped((before) => ({ ...before, [rule]: value }))}
          hint={rule === 'hardNoGos' ? t.commas : t.names[rule][1]}
          error={
            typed[rule].trim() !== '' && parsed.some(([name, value]) => name === rule && value === undefined)
              ? t.notUnderstood
              : undefined
          }
          {...(rule === 'hardNoGos' ? {} : { inputMode: 'decimal' as const, required: true })}
        />
      ))}
      {save.error === undefined ? null : <Failure error={save.error} compact />}
      <div class="row">
        <Button needs="changeRules" kind="primary" type="submit" busy={save.busy} disabled={!isReady}>
          {t.save}
        </Button>
      </div>
    </form>
  )
}
