/** The passkeys of who is signed in: seen, added on this device, removed. */
import { useState } from 'preact/hooks'
import type { PasskeyEntry } from '../../../contract/shapes/passkeys.ts'
import { useAction } from '../../lib/service/action.ts'
import { client, VendopsError } from '../../lib/service/api.ts'
import { texts, textsOf, words } from '../../lib/text/i18n.ts'
import { leave } from './leave.ts'
import { me } from '../../lib/service/me.ts'
import { passkeyProblem } from './passkey-problem.ts'
import { deviceName, makePasskey, OtherAddressError } from '../../lib/service/passkeys.ts'
import { useResource } from '../../lib/service/resource.ts'
import { PASSKEYS } from '../../locales/passkeys.ts'
import { ActionDialog } from '../../ui/form/action-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { Dialog } from '../../ui/form/dialog.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Failure, Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toast.tsx'
import { RelativeTime, Timestamp } from '../../ui/value.tsx'

const NAME_MAX = 64

export function PasskeysDialog({ onClose }: { readonly onClose: () => void }) {
  const t = textsOf(PASSKEYS)
  const passkeys = useResource('passkeys', async (signal) => (await client.listPasskeys({ signal })).passkeys)
  const [removing, setRemoving] = useState<PasskeyEntry>()
  return (
    <Dialog title={texts().passkeys.title} onClose={onClose}>
      <p>{t.lead}</p>
      <Loaded resource={passkeys}>
        {(list) =>
          list.length === 0 ? (
            <p class="faint">{t.none}</p>
          ) : (
            <DataTable
              rows={list}
              keyOf={({ id }) => id}
              columns={[
                { title: t.name, cell: ({ name }) => name },
                { title: t.added, cell: ({ created_at: at }) => <Timestamp at={at} /> },
                {
                  title: t.lastUsed,
                  cell: ({ last_used_at: at }) => (at === null ? words().never : <RelativeTime at={at} />),
                },
                {
                  title: t.remove,
                  value: false,
                  cell: (passkey) => (
                    <Button
                      needs="removePasskey"
                      small
                      onClick={() => setRemoving(passkey)}
                      aria-label={t.removeOf(passkey.name)}
                    >
                      {t.remove}
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <AddPasskey onAdded={() => void passkeys.reload()} />
      {removing ? (
        <RemoveDialog passkey={removing} onClose={() => setRemoving(undefined)} onDone={() => void passkeys.reload()} />
      ) : null}
    </Dialog>
  )
}

function AddPasskey({ onAdded }: { readonly onAdded: () => void }) {
  const t = textsOf(PASSKEYS)
  const [name, setName] = useState(() => deviceName(navigator.userAgent))
  const add = useAction(async () => {
    const asked = await client.offerPasskey()
    await client.addPasskey({ body: await makePasskey(asked, me.value?.name ?? '', name.trim()) })
    toast(t.saved)
    onAdded()
  })
  const problem = passkeyProblem()
  if (problem !== undefined) return <Notice tone="info">{texts().passkeys.problems[problem]}</Notice>
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (name.trim() !== '') void add.run()
      }}
    >
      <Field
        label={t.name}
        name="passkey"
        value={name}
        onInput={setName}
        maxLength={NAME_MAX}
        hint={t.nameHint}
        required
      />
      <PasskeyFailure error={add.error} />
      <Button kind="primary" type="submit" busy={add.busy} disabled={name.trim() === ''}>
        {t.add}
      </Button>
    </form>
  )
}

function PasskeyFailure({ error }: { readonly error: unknown }) {
  const t = textsOf(PASSKEYS)
  if (error === undefined) return null
  if (error instanceof VendopsError && error.code === 'confirmation_required')
    return (
      <Notice tone="warn" urgent action={<Button onClick={() => void leave()}>{t.signInAgain}</Button>}>
        {t.stale}
      </Notice>
    )
  if (error instanceof OtherAddressError)
    return (
      <Notice tone="warn" urgent>
        {texts().passkeys.otherAddress(error.message)}
      </Notice>
    )
  if (error instanceof DOMException)
    return (
      <Notice tone="warn" urgent>
        {t.canceled}
      </Notice>
    )
  return <Failure error={error} compact />
}

interface RemoveDialogProps {
  readonly passkey: PasskeyEntry
  readonly onClose: () => void
  readonly onDone: () => void
}

function RemoveDialog({ passkey, onClose, onDone }: RemoveDialogProps) {
  const t = textsOf(PASSKEYS)
  const remove = useAction(async () => {
    await client.removePasskey({ params: { id: passkey.id } })
    toast(t.removed)
    onDone()
    onClose()
  })
  return (
    <ActionDialog title={t.removeSure(passkey.name)} action={remove} submit={t.remove} kind="danger" onClose={onClose}>
      <p>{t.removeText}</p>
    </ActionDialog>
  )
}
