/** Asks before signing out with entries that were not sent yet. */
import { useState } from 'preact/hooks'
import { useAction } from '../../lib/service/action.ts'
import { signOut } from '../../lib/service/api.ts'
import { clearDevice, isUnsent, presses } from '../visits/device/presses.ts'
import { sendPresses } from '../visits/device/send.ts'
import { isEverywhere, leaveDialog } from './leaving.ts'
import { person } from '../../lib/service/me.ts'
import { words, textsOf } from '../../lib/text/i18n.ts'
import { VISITS } from '../../locales/visits.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/form/dialog.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'

const close = (): void => void (leaveDialog.value = undefined)

async function signOutWith(withUnsent: boolean): Promise<void> {
  const owner = person.peek()
  await signOut(isEverywhere.peek())
  close()
  await clearDevice(owner, { withUnsent })
}

export function LeaveDialog() {
  const t = textsOf(VISITS).leave
  const unsent = presses.value.filter(isUnsent).length
  const [hasFailed, setFailed] = useState(false)
  const send = useAction(async () => {
    await sendPresses()
    setFailed(presses.peek().some(isUnsent))
    if (!presses.peek().some(isUnsent)) await signOutWith(true)
  })
  const keep = useAction(() => signOutWith(false))
  const drop = useAction(() => signOutWith(true))
  const busy = send.busy || keep.busy || drop.busy
  const error = send.error ?? keep.error ?? drop.error
  return (
    <Dialog title={t.title} onClose={close} busy={busy}>
      <div class="stack">
        <p class="strong">{t.text(unsent)}</p>
        <Button kind="primary" action={send} disabled={busy}>
          {words().sendNow}
        </Button>
        {hasFailed ? <Notice tone="warn">{t.failed}</Notice> : null}
        <Button action={keep} disabled={busy}>
          {t.keep}
        </Button>
        <p class="note">{t.keepText}</p>
        <Button kind="danger" action={drop} disabled={busy}>
          {t.drop}
        </Button>
        <p class="note">{t.dropText}</p>
        {error === undefined ? null : <Failure error={error} compact />}
      </div>
    </Dialog>
  )
}
