/** Edits the name and profile of a machine; a new one also needs its platform ID. */
import { useState } from 'preact/hooks'
import type { Location, MachineProfile } from '../../contract/location.ts'
import { useAction } from '../lib/action.ts'
import { client } from '../lib/api.ts'
import { texts } from '../lib/i18n.ts'
import { textFields } from '../lib/machine-profile.ts'
import { useNamespaces } from '../lib/queries.ts'
import { navigate, href } from '../lib/router.ts'
import { ActionDialog } from './action-dialog.tsx'
import { Field, Select } from './field.tsx'
import { toast } from './toast.tsx'

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
  const platforms = (namespaces.data?.namespaces ?? []).filter(({ role }) => role === 'machine')
  const [platform, setPlatform] = useState<string>()
  const set = (changes: MachineProfile) => setProfile({ ...profile, ...changes })
  const save = useAction(async () => {
    const filled = Object.fromEntries(Object.entries(profile).filter(([, value]) => value !== ''))
    const namespace = location || platform === undefined ? {} : { namespace: platform }
    await client.putLocation({ params: { id }, body: { name: name.trim(), profile: filled, ...namespace } })
    toast(t.saved(name))
    onSaved()
    onClose()
    if (!location) navigate(href.machine(id))
  })
  return (
    <ActionDialog
      title={location ? t.edit : t.add}
      action={save}
      submit={t.save}
      ready={name.trim() !== '' && ID.test(id)}
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
            hint={t.idHint}
            error={id !== '' && !ID.test(id) ? t.idInvalid : undefined}
          />
        )}
        {location || platforms.length < 2 ? null : (
          <Select
            label={t.platform}
            value={platform ?? namespaces.data?.defaults.machine ?? ''}
            onChange={setPlatform}
            options={platforms.map((one) => [one.namespace, one.namespace] as const)}
          />
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

/** An empty choice is left out of the request. */
function withChoice(profile: MachineProfile, name: 'placement' | 'venueType', value: string): MachineProfile {
  const { [name]: _, ...rest } = profile
  return value === '' ? rest : { ...rest, [name]: value }
}
