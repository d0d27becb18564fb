/** What holds for the whole route: who buys, where goods go, currency, zone, language, and what driving costs. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { SettingChange, Settings, SettingsRequest } from '../../../contract/shapes/settings.ts'
import { readTypedAmount } from '../../../kernel/typed-amount.ts'
import { LANGUAGES, type SettingName } from '../../../kernel/deployment/settings.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { type Address, ADDRESS_FIELDS, addressLine, filledAddress } from '../purchases/checkout.ts'
import { currencyOptions } from '../../lib/text/currency-options.ts'
import { amountText, money } from '../../lib/text/format.ts'
import { texts, textsOf } from '../../lib/text/i18n.ts'
import { may, refreshMe } from '../../lib/service/me.ts'
import { useResource } from '../../lib/service/resource.ts'
import { personName } from '../../lib/text/value-text.ts'
import { SETTINGS } from '../../locales/work/settings.ts'
import { AddressFields } from '../purchases/address-fields.tsx'
import { Holidays } from './holidays.tsx'
import { Button } from '../../ui/button.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { Field, Select } from '../../ui/form/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Failure, Loaded } from '../../ui/loaded.tsx'
import { Facts, PageHeader, Section } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.tsx'
import { Timestamp } from '../../ui/value.tsx'

export function SettingsPage() {
  const t = textsOf(SETTINGS)
  const settings = useResource(
    'settings',
    (signal) => client.getSettings({ signal }),
    ['guardrail', 'sync', 'checkout'],
    undefined,
    'getSettings',
  )
  const onSaved = () => void Promise.all([settings.reload(), refreshMe()])
  return (
    <>
      <PageHeader title={texts().pages.settings} lead={t.lead} />
      <Loaded resource={settings}>
        {(data) => (
          <div class="stack">
            <Delivery data={data} onSaved={onSaved} />
            <Basics data={data} onSaved={onSaved} />
            <Driving data={data} onSaved={onSaved} />
            {may('getHolidays') ? <Holidays /> : null}
            <History data={data} />
          </div>
        )}
      </Loaded>
    </>
  )
}

interface PartProps {
  readonly data: Settings
  readonly onSaved: () => void
}

const isOpen = ({ set_on_server: fixed }: Settings, ...names: SettingName[]): boolean =>
  may('changeSettings') && names.some((name) => !fixed.includes(name))

/** What the environment sets, or what others may not change. */
const Fixed = ({ data, names }: { readonly data: Settings; readonly names: readonly SettingName[] }) => {
  const t = textsOf(SETTINGS)
  const shown = names.filter((name) => !isOpen(data, name))
  return shown.length === 0 ? null : (
    <Facts
      items={shown.map((name) => [
        t.names[name],
        <>
          <strong>{valueText(name, data.settings[name], data.settings.currency)}</strong>{' '}
          {data.set_on_server.includes(name) ? (
            <span class="faint">
              <Icon name="lock" size={14} /> {t.onServer}
            </span>
          ) : null}
        </>,
      ])}
    />
  )
}

interface FormProps {
  readonly title: string
  readonly note: string
  readonly request: () => SettingsRequest | undefined
  readonly isOffered: boolean
  readonly onSaved: () => void
  readonly children: ComponentChildren
}

/** One card with its own button. `request` is undefined while something typed cannot be read. */
function Form({ title, note, request, isOffered, onSaved, children }: FormProps) {
  const t = textsOf(SETTINGS)
  const wanted = request()
  const save = useAction(async () => {
    await client.changeSettings({ body: wanted ?? {} })
    toast(t.saved)
    onSaved()
  })
  return (
    <Section title={title} note={isOffered ? note : t.othersNote}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (wanted) void save.run()
        }}
      >
        {children}
        {save.error === undefined ? null : <Failure error={save.error} compact />}
        {isOffered ? (
          <div class="row end">
            <Button
              needs="changeSettings"
              kind="primary"
              type="submit"
              busy={save.busy}
              disabled={!wanted || Object.keys(wanted).length === 0}
            >
              {t.save}
            </Button>
          </div>
        ) : null}
      </form>
    </Section>
  )
}

const sameAddress = (a: Address, b: Address): boolean =>
  ADDRESS_FIELDS.every((field) => (a[field] ?? '').trim() === (b[field] ?? '').trim())

function Delivery({ data, onSaved }: PartProps) {
  const t = textsOf(SETTINGS)
  const { buyer_name: known, delivery_address: before } = data.settings
  const [name, setName] = useState<string>()
  const [address, setAddress] = useState<Address>()
  const typed = (name ?? known ?? '').trim()
  const request = (): SettingsRequest => ({
    ...(typed === (known ?? '') ? {} : { buyer_name: typed === '' ? null : typed }),
    ...(address === undefined || sameAddress(address, before ?? {})
      ? {}
      : { delivery_address: filledAddress(address) }),
  })
  return (
    <Form
      title={t.delivery}
      note={t.deliveryNote}
      request={request}
      isOffered={isOpen(data, 'buyer_name', 'delivery_address')}
      onSaved={onSaved}
    >
      {isOpen(data, 'buyer_name') ? (
        <Field
          label={t.names.buyer_name}
          name="buyer_name"
          value={name ?? known ?? ''}
          onInput={setName}
          autocomplete="organization"
          hint={t.buyerHint}
        />
      ) : null}
      {isOpen(data, 'delivery_address') ? (
        <AddressFields address={address ?? before ?? {}} onChange={setAddress} errorOf={() => undefined} />
      ) : null}
      <Fixed data={data} names={['buyer_name', 'delivery_address']} />
    </Form>
  )
}

const deviceZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** With the one that is set, also where the browser does not list it. */
const withKnown = (names: readonly string[], known: string): readonly string[] =>
  [...new Set([...names, known])].toSorted()

function Basics({ data, onSaved }: PartProps) {
  const t = textsOf(SETTINGS)
  const { settings, currency_in_use: use, currency_chosen: isChosen } = data
  const [typed, setTyped] = useState<Partial<Record<'currency' | 'time_zone' | 'language', string>>>(
    // Nobody has set anything yet: the zone of the person who does is the likely one.
    isChosen || !isOpen(data, 'time_zone') ? {} : { time_zone: deviceZone() },
  )
  const set = (name: keyof typeof typed) => (value: string) => setTyped((before) => ({ ...before, [name]: value }))
  const request = (): SettingsRequest =>
    Object.fromEntries(
      Object.entries(typed).filter(
        ([name, value]) =>
          value !== '' && (value !== settings[name as keyof typeof typed] || (name === 'currency' && !isChosen)),
      ),
    )
  const zone = typed.time_zone ?? settings.time_zone
  const here = deviceZone()
  return (
    <Form
      title={t.basics}
      note={t.basicsNote}
      request={request}
      isOffered={isOpen(data, 'currency', 'time_zone', 'language')}
      onSaved={onSaved}
    >
      <div class="form-grid">
        {isOpen(data, 'currency') && use === null ? (
          <Select
            label={t.names.currency}
            value={typed.currency ?? (isChosen ? settings.currency : '')}
            onChange={set('currency')}
            options={[
              ...(isChosen ? [] : [['', t.notChosen] as const]),
              ...currencyOptions(isChosen ? settings.currency : undefined),
            ]}
            hint={t.currencyHint}
          />
        ) : null}
        {isOpen(data, 'time_zone') ? (
          <Select
            label={t.names.time_zone}
            value={zone}
            onChange={set('time_zone')}
            options={withKnown(Intl.supportedValuesOf('timeZone'), zone).map((name) => [name, name])}
            hint={
              zone === here ? (
                t.zoneChange
              ) : (
                <>
                  {t.zoneHint(here)}{' '}
                  <Button kind="quiet" small onClick={() => set('time_zone')(here)}>
                    {t.useZone(here)}
                  </Button>
                </>
              )
            }
          />
        ) : null}
        {isOpen(data, 'language') ? (
          <Select
            label={t.names.language}
            value={typed.language ?? settings.language}
            onChange={set('language')}
            options={LANGUAGES.map((code) => [code, t.languages[code]])}
            hint={t.languageHint}
          />
        ) : null}
      </div>
      {isOpen(data, 'currency') && use !== null ? (
        <Facts
          items={[
            [
              t.names.currency,
              <>
                <strong>{settings.currency}</strong> <span class="faint">{t.currencyUsed[use]}</span>
              </>,
            ],
          ]}
        />
      ) : null}
      <Fixed data={data} names={['currency', 'time_zone', 'language']} />
    </Form>
  )
}

const COSTS = ['trip_cost', 'stop_cost'] as const

function Driving({ data, onSaved }: PartProps) {
  const t = textsOf(SETTINGS)
  const { currency } = data.settings
  const [typed, setTyped] = useState<Partial<Record<(typeof COSTS)[number], string>>>({})
  const shown = (name: (typeof COSTS)[number]): string => {
    const value = data.settings[name]
    return typed[name] ?? (value === null ? '' : amountText(value, currency))
  }
  const read = (name: (typeof COSTS)[number]) =>
    shown(name).trim() === '' ? null : readTypedAmount(shown(name).trim(), currency)
  const wanted = COSTS.map((name) => {
    const amount = read(name)
    return [name, amount === null ? null : amount.ok ? amount.amount : undefined] as const
  })
  const request = (): SettingsRequest | undefined =>
    wanted.some(([, value]) => value === undefined)
      ? undefined
      : Object.fromEntries(wanted.filter(([name, value]) => value !== data.settings[name]))
  return (
    <Form title={t.driving} note={t.drivingNote} request={request} isOffered={isOpen(data, ...COSTS)} onSaved={onSaved}>
      <div class="form-grid">
        {COSTS.filter((name) => isOpen(data, name)).map((name) => (
          <Field
            key={name}
            label={t.names[name]}
            name={name}
            inputMode="decimal"
            value={shown(name)}
            onInput={(value) => setTyped((before) => ({ ...before, [name]: value }))}
            hint={t.costHint[name]}
            error={wanted.some(([each, value]) => each === name && value === undefined) ? t.notUnderstood : undefined}
          />
        ))}
      </div>
      <Fixed data={data} names={COSTS} />
    </Form>
  )
}

function History({ data: { changes, settings } }: { readonly data: Settings }) {
  const t = textsOf(SETTINGS)
  const value = ({ setting }: SettingChange, side: unknown) => valueText(setting, side, settings.currency)
  return (
    <Section title={t.history}>
      {changes.length === 0 ? (
        <p class="note">{t.noHistory}</p>
      ) : (
        <DataTable
          csv={t.history}
          rows={changes}
          keyOf={({ at, setting }) => `${at} ${setting}`}
          columns={[
            { title: t.setting, cell: ({ setting }) => t.names[setting] },
            { title: t.before, cell: (change) => value(change, change.before) },
            { title: t.after, cell: (change) => value(change, change.after) },
            { title: t.by, cell: ({ by }) => personName(by) },
            { title: t.changedAt, cell: ({ at }) => <Timestamp at={at} /> },
          ]}
        />
      )}
    </Section>
  )
}

function valueText(name: SettingName, value: unknown, currency: string): string {
  const t = textsOf(SETTINGS)
  if (value === null || value === undefined) return t.notSet
  if (typeof value === 'number') return money(value, currency)
  if (name === 'language') return t.languages[value as keyof typeof t.languages]
  return typeof value === 'string' ? value : addressLine(value)
}
