/** Edits the name and profile of a machine; a new one also needs its platform ID. */
import { useState } from 'preact/hooks'
import type { Geo, Location, MachineProfile } from '../../../contract/shapes/location.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { readTypedAmount } from '../../../kernel/typed-amount.ts'
import { hoursText, parseHours } from '../../../lib/opening-hours.ts'
import { amountText, currencySign } from '../../lib/text/format.ts'
import { language, texts, textsOf, words } from '../../lib/text/i18n.ts'
import { textFields } from './machine-profile.ts'
import { may } from '../../lib/service/me.ts'
import { useGuardrails, useNamespaces } from '../../lib/service/queries.ts'
import { navigate, href } from '../../lib/router.ts'
import { BY_HAND, takeInByHand } from '../setup/take-in.ts'
import { SETUP } from '../../locales/work/setup.ts'
import { ActionDialog } from '../../ui/form/action-dialog.tsx'
import { Field, Select } from '../../ui/form/field.tsx'
import { toast } from '../../ui/toast.tsx'

const PLACEMENTS = ['indoor', 'outdoor', 'semi_outdoor'] as const
const VENUES = ['office', 'gym', 'hospital', 'campus', 'transit', 'residential', 'retail', 'other'] as const
const ID = /^[A-Za-z0-9._-]{1,64}$/

interface Props {
  /** Absent for a new machine. */
  readonly location?: Location
  readonly onClose: () => void
  readonly onSaved: () => void
}

export function MachineForm({ location, onClose, onSaved }: Props) {
  const t = texts().machineForm
  const [id, setId] = useState(location?.id ?? '')
  const [name, setName] = useState(location?.name ?? '')
  const [profile, setProfile] = useState<MachineProfile>(location?.profile ?? {})
  const namespaces = useNamespaces()
  const platforms = (namespaces.data?.namespaces ?? []).filter(
    ({ role, status }) => role === 'machine' && status === 'live',
  )
  const [platform, setPlatform] = useState<string>()
  // Without any platform a machine is kept by hand; that changes the connections, which is the owner's.
  const choices = [
    ...platforms.filter(({ namespace: one }) => one !== BY_HAND).map(({ namespace: one }) => [one, one] as const),
    ...(may('changeConnection') ? [[BY_HAND, textsOf(SETUP).machines.noPlatformChoice] as const] : []),
  ]
  const chosen =
    platform ??
    (choices.some(([one]) => one === namespaces.data?.defaults.machine)
      ? namespaces.data?.defaults.machine
      : choices[0]?.[0])
  const [area, setArea] = useState(location?.area ?? '')
  const [geo, setGeo] = useState(location?.geo ? geoText(location.geo) : '')
  const [hours, setHours] = useState(location?.hours ? hoursText(location.hours, language.value) : '')
  const readHours = parseHours(hours)
  // Who may not see profit sees and changes no terms.
  const currency = useGuardrails().data?.currency
  const hasTerms = may('getProfit') && currency !== undefined
  const [commission, setCommission] = useState(location?.commission_percent?.toString() ?? '')
  const [rent, setRent] = useState<string>()
  const rentText =
    rent ?? (location?.rent_per_month === undefined || !currency ? '' : amountText(location.rent_per_month, currency))
  const readRent = rentText.trim() === '' || !currency ? undefined : readTypedAmount(rentText, currency)
  const set = (changes: MachineProfile) => setProfile({ ...profile, ...changes })
  const save = useAction(async () => {
    const filled = Object.fromEntries(Object.entries(profile).filter(([, value]) => value !== ''))
    const namespace = location || chosen === undefined ? {} : { namespace: chosen }
    if (!location && chosen === BY_HAND) await takeInByHand(id)
    const place = { area: area.trim() || null, geo: parseGeo(geo) ?? null, hours: readHours ?? null }
    const terms = hasTerms
      ? {
          commission_percent: commission.trim() === '' ? null : Number(commission.replace(',', '.')),
          rent_per_month: readRent?.ok ? readRent.amount : null,
        }
      : {}
    const body = { name: name.trim(), profile: filled, ...place, ...namespace, ...terms }
    await client.putLocation({ params: { id }, body })
    toast(t.saved(name))
    onSaved()
    onClose()
    if (!location) navigate(href.machine(id))
  })
  return (
    <ActionDialog
      title={location ? t.edit : words().addMachine}
      action={save}
      submit={words().save}
      ready={
        name.trim() !== '' &&
        ID.test(id) &&
        isGeo(geo) &&
        readHours !== undefined &&
        isPercent(commission) &&
        readRent?.ok !== false
      }
      onClose={onClose}
    >
      <div class="form-grid">
        {location ? null : (
          <Field
            label={t.id}
            name="id"
            value={id}
            onInput={setId}
            required
            autofocus
            spellcheck={false}
            hint={chosen === BY_HAND ? t.ownIdHint : t.idHint}
            error={id !== '' && !ID.test(id) ? t.idInvalid : undefined}
          />
        )}
        {location || choices.length < 2 ? null : (
          <Select label={t.platform} value={chosen ?? ''} onChange={setPlatform} options={choices} />
        )}
        <Field label={t.name} name="name" value={name} onInput={setName} required maxLength={128} />
        {textFields.map((line) => (
          <Field
            key={line}
            label={t.fields[line]}
            name={line}
            value={profile[line] ?? ''}
            onInput={(value) => set({ [line]: value })}
            maxLength={line === 'time_zone' ? 128 : 500}
            hint={line === 'time_zone' ? t.timeZoneHint : undefined}
          />
        ))}
        <Field
          label={words().area}
          name="area"
          value={area}
          onInput={setArea}
          maxLength={128}
          hint={texts().operator.place.areaHint}
        />
        <Field
          label={texts().operator.place.geo}
          name="geo"
          value={geo}
          onInput={setGeo}
          placeholder="31.2304, 121.4737"
          hint={texts().operator.place.geoHint}
          error={isGeo(geo) ? undefined : texts().operator.place.geoInvalid}
        />
        <Field
          label={texts().operator.place.hours}
          name="hours"
          value={hours}
          onInput={setHours}
          placeholder={texts().operator.place.hoursExample}
          hint={texts().operator.place.hoursHint}
          error={readHours ? undefined : texts().operator.place.hoursInvalid}
        />
        {hasTerms ? (
          <>
            <Field
              label={t.commission}
              name="commission"
              inputMode="decimal"
              value={commission}
              onInput={setCommission}
              hint={t.termsHint}
              error={isPercent(commission) ? undefined : t.commissionInvalid}
            />
            <Field
              label={`${t.rent} (${currencySign(currency)})`}
              name="rent"
              inputMode="decimal"
              value={rentText}
              onInput={setRent}
              hint={t.termsHint}
              error={
                readRent?.ok === false
                  ? texts().amountProblems[readRent.problem](amountText(12_000, currency))
                  : undefined
              }
            />
          </>
        ) : null}
        <Select
          label={t.fields.placement}
          value={profile.placement ?? ''}
          onChange={(value) => setProfile(withChoice(profile, 'placement', value))}
          options={[['', t.notSet], ...PLACEMENTS.map((one) => [one, texts().placements[one]] as const)]}
        />
        <Select
          label={t.fields.venueType}
          value={profile.venueType ?? ''}
          onChange={(value) => setProfile(withChoice(profile, 'venueType', value))}
          options={[['', t.notSet], ...VENUES.map((one) => [one, texts().venues[one]] as const)]}
        />
      </div>
    </ActionDialog>
  )
}

const geoText = ({ latitude, longitude }: Geo): string => `${latitude}, ${longitude}`

/** Latitude and longitude as map services show them. */
function parseGeo(text: string): Geo | undefined {
  const [, latitude, longitude] = /^\s*(-?\d{1,2}(?:\.\d+)?)\s*[,，\s]\s*(-?\d{1,3}(?:\.\d+)?)\s*$/.exec(text) ?? []
  if (latitude === undefined || longitude === undefined) return undefined
  const geo = { latitude: Number(latitude), longitude: Number(longitude) }
  return Math.abs(geo.latitude) <= 90 && Math.abs(geo.longitude) <= 180 ? geo : undefined
}

const isPercent = (text: string): boolean =>
  text.trim() === '' || (/^\d{1,3}([.,]\d{1,2})?$/.test(text.trim()) && Number(text.replace(',', '.')) <= 100)

const isGeo = (text: string): boolean => text.trim() === '' || parseGeo(text) !== undefined

/** An empty choice is left out of the request. */
function withChoice(profile: MachineProfile, name: 'placement' | 'venueType', value: string): MachineProfile {
  const { [name]: _, ...rest } = profile
  return value === '' ? rest : { ...rest, [name]: value }
}
