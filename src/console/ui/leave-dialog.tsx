/** Asks before signing out with entries that were not sent yet. */
import { useState } from 'preact/hooks'
import { useAction } from '../lib/action.ts'
import { signOut } from '../lib/api.ts'
import { clearDevice, isWaiting, presses } from '../lib/device/presses.ts'
import { sendPresses } from '../lib/device/send.ts'
import { isEverywhere, leaveDialog } from '../lib/leave.ts'
import { person } from '../lib/me.ts'
import { words } from '../lib/i18n.ts'
import { visitTexts } from '../lib/visit-texts.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Failure } from './loaded.tsx'
import { Notice } from './notice.tsx'

const close = (): void => void (leaveDialog.value = undefined)

async function signOutWith(withWaiting: boolean): Promise<void> {
  const owner = person.peek()
  await signOut(isEverywhere.peek())
  close()
  await clearDevice(owner, { withWaiting })
}

export function LeaveDialog() {
  const t = visitTexts().leave
  const waiting = presses.value.filter(isWaiting).length
  const [isUnsent, setUnsent] = useState(false)
  const send = useAction(async () => {
    await sendPresses()
    setUnsent(presses.peek().some(isWaiting))
    if (!presses.peek().some(isWaiting)) await signOutWith(true)
  })
  const keep = useAction(() => signOutWith(false))
  const drop = useAction(() => signOutWith(true))
  const busy = send.busy || keep.busy || drop.busy
  const error = send.error ?? keep.error ?? drop.error
  return (
    <Dialog title={t.title} onClose={close} busy={busy}>
      <div class="stack">
        <p class="strong">{t.text(waiting)}</p>
        <Button kind="primary" action={send} disabled={busy}>
          {words().sendNow}
        </Button>
        {isUnsent ? <Notice tone="warn">{t.failed}</Notice> : null}
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
