/** Asks before signing out with entries that were not sent yet. */
import { useState } from 'preact/hooks'
import { useAction } from '../lib/action.ts'
import { signOut } from '../lib/api.ts'
import { clearDevice, isUnsent, presses } from '../lib/device/presses.ts'
import { sendPresses } from '../lib/device/send.ts'
import { isEverywhere, leaveDialog } from '../lib/leaving.ts'
import { person } from '../lib/me.ts'
import { words, textsOf } from '../lib/i18n.ts'
import { VISITS } from '../locales/visits.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Failure } from './loaded.tsx'
import { Notice } from './notice.tsx'

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
