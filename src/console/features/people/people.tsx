/** People and programs with a key: for owners, who add and revoke them. The first owner is created on the server. */
import { useState } from 'preact/hooks'
import type { PersonAdded, PersonEntry } from '../../../contract/shapes/people.ts'
import { type PersonRole, PERSON_ROLES } from '../../../kernel/person.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { DAY, dateTime, nowMs } from '../../lib/text/format.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { useResource } from '../../lib/service/resource.ts'
import { ActionDialog } from '../../ui/form/action-dialog.tsx'
import { Badge, RelativeTime, Timestamp } from '../../ui/value.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyText } from '../../ui/copy-text.tsx'
import { ListPage } from '../../ui/table/list.tsx'
import { Dialog } from '../../ui/form/dialog.tsx'
import { Field, Select } from '../../ui/form/field.tsx'
import { QrCode } from '../../ui/qr-code.tsx'

const NAME_MAX = 64
const DAYS_MAX = 3650

/** The service notes the use of a key to the hour, so the minutes would be wrong. */
const isThisHour = (at: string): boolean => Date.now() - Date.parse(at) < 3_600_000

export function People() {
  const t = texts().people
  const people = useResource(
    'people',
    async (signal) => (await client.listPeople({ signal })).people.toSorted(byState),
    ['guardrail'],
  )
  const [adding, setAdding] = useState(false)
  const [revoking, setRevoking] = useState<PersonEntry>()
  const [added, setAdded] = useState<PersonAdded>()
  return (
    <ListPage
      title={texts().pages.people}
      lead={t.lead}
      actions={
        <Button needs="addPerson" icon="plus" onClick={() => setAdding(true)}>
          {t.add}
        </Button>
      }
      rows={people}
      icon="people"
      csv={texts().pages.people}
      keyOf={({ id }) => id}
      columns={[
        { title: t.name, cell: ({ name }) => name },
        { title: t.role, cell: roleOf },
        { title: words().status, cell: stateOf },
        {
          title: t.lastUsed,
          sort: ({ last_used_at: at }) => at ?? undefined,
          cell: ({ last_used_at: at }) =>
            at === null ? words().never : isThisHour(at) ? t.thisHour : <RelativeTime at={at} />,
        },
        { title: t.expires, sort: ({ expires_at: at }) => at ?? undefined, cell: expiryOf },
        {
          title: t.revoke,
          value: false,
          cell: (person) =>
            person.revoked_at === null ? (
              <Button
                needs="revokePerson"
                small
                onClick={() => setRevoking(person)}
                aria-label={t.revokeSure(person.name)}
              >
                {t.revoke}
              </Button>
            ) : null,
        },
      ]}
    >
      {adding ? (
        <AddDialog
          onClose={() => setAdding(false)}
          onAdded={(person) => {
            setAdding(false)
            setAdded(person)
            void people.reload()
          }}
        />
      ) : null}
      {revoking ? (
        <RevokeDialog person={revoking} onClose={() => setRevoking(undefined)} onDone={() => void people.reload()} />
      ) : null}
      {added ? <KeyDialog person={added} onClose={() => setAdded(undefined)} /> : null}
    </ListPage>
  )
}

/** Those that are not revoked first. */
const byState = (a: PersonEntry, b: PersonEntry): number =>
  Number(a.revoked_at !== null) - Number(b.revoked_at !== null) || a.name.localeCompare(b.name)

/** A program renews its key, so the time moves on while it is used. */
function expiryOf({ expires_at: at, renews }: PersonEntry) {
  if (at === null) return undefined
  return renews ? texts().people.unlessUsed(dateTime(at)) : <Timestamp at={at} />
}

function stateOf(person: PersonEntry) {
  const t = texts().people
  if (person.revoked_at !== null) return <Badge tone="calm">{t.revoked}</Badge>
  const isExpired = person.expires_at !== null && Date.parse(person.expires_at) <= nowMs()
  return isExpired ? <Badge tone="warn">{t.expired}</Badge> : <Badge tone="ok">{t.active}</Badge>
}

const roleOf = ({ role, autonomous }: PersonEntry): string =>
  autonomous ? texts().people.autonomousRole(texts().roles[role]) : texts().roles[role]

function AddDialog(props: { readonly onClose: () => void; readonly onAdded: (person: PersonAdded) => void }) {
  const t = texts().people
  const [name, setName] = useState('')
  const [role, setRole] = useState<PersonRole>('viewer')
  const [days, setDays] = useState('')
  const [autonomous, setAutonomous] = useState(false)
  const isDays = days === '' || (/^\d+$/.test(days) && Number(days) > 0 && Number(days) <= DAYS_MAX)
  const add = useAction(async () => {
    const expires = days === '' ? {} : { expires_at: new Date(nowMs() + Number(days) * DAY).toISOString() }
    const agreed = role === 'operator' && autonomous ? { autonomous } : {}
    props.onAdded(await client.addPerson({ body: { name: name.trim(), role, ...expires, ...agreed } }))
  })
  return (
    <ActionDialog
      title={t.add}
      action={add}
      submit={t.add}
      ready={name.trim() !== '' && isDays}
      onClose={props.onClose}
    >
      <Field label={t.name} value={name} onInput={setName} maxLength={NAME_MAX} required autofocus />
      <Select
        label={t.role}
        value={role}
        onChange={(value) => setRole(value as PersonRole)}
        options={PERSON_ROLES.map((each) => [each, texts().roles[each]])}
        hint={t.roleHints[role]}
      />
      {role === 'operator' ? (
        <Select
          label={t.autonomous}
          value={autonomous ? 'yes' : 'no'}
          onChange={(value) => setAutonomous(value === 'yes')}
          options={[
            ['no', t.asks],
            ['yes', t.alone],
          ]}
          hint={t.autonomousHint}
        />
      ) : null}
      <Field label={t.days} value={days} onInput={setDays} inputMode="numeric" />
    </ActionDialog>
  )
}

interface RevokeDialogProps {
  readonly person: PersonEntry
  readonly onClose: () => void
  readonly onDone: () => void
}

function RevokeDialog({ person, onClose, onDone }: RevokeDialogProps) {
  const t = texts().people
  const revoke = useAction(async () => {
    await client.revokePerson({ params: { id: person.id } })
    onDone()
    onClose()
  })
  return (
    <ActionDialog title={t.revokeSure(person.name)} action={revoke} submit={t.revoke} kind="danger" onClose={onClose}>
      <p>{t.revokeText}</p>
    </ActionDialog>
  )
}

/** The key is in no other place: once this is closed, nobody can show it again. */
function KeyDialog({ person, onClose }: { readonly person: PersonAdded; readonly onClose: () => void }) {
  const t = texts().people
  return (
    <Dialog
      title={t.keyTitle(person.name)}
      onClose={onClose}
      footer={
        <Button kind="primary" onClick={onClose}>
          {t.done}
        </Button>
      }
    >
      <p>{t.keyText}</p>
      <CopyText title={t.key} text={person.key} />
      {person.sign_in_url === null ? null : (
        <>
          <CopyText title={t.link} text={person.sign_in_url} />
          <QrCode title={t.qr} text={person.sign_in_url} />
        </>
      )}
    </Dialog>
  )
}
