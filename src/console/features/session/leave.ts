/** Signing out: what was kept on this device for the person goes first, unless something still has to be sent. */
import { signOut } from '../../lib/service/api.ts'
import { isEverywhere, leaveDialog } from './leaving.ts'
import { person } from '../../lib/service/me.ts'

export async function leave(everywhere = false): Promise<void> {
  isEverywhere.value = everywhere
  const { clearDevice, isUnsent, loadPresses, presses } = await import('../visits/device/presses.ts')
  await loadPresses().catch(() => {})
  if (presses.peek().some(isUnsent)) {
    leaveDialog.value = (await import('./leave-dialog.tsx')).LeaveDialog
    return
  }
  const owner = person.peek()
  await signOut(everywhere)
  await clearDevice(owner, { withUnsent: true })
}

/** Once nobody is signed in: a session may also have ended elsewhere. */
export async function clearLeftovers(): Promise<void> {
  const [{ day }, { clearAfterSession }] = await Promise.all([
    import('../visits/device/day.ts'),
    import('../visits/device/presses.ts'),
  ])
  day.value = undefined
  await clearAfterSession()
}
