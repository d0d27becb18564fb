/** Pulls the emergency stop, from any page: two presses, since a reason is there already. */
import { useState } from 'preact/hooks'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { ActionDialog } from '../../ui/form/action-dialog.tsx'
import { Field } from '../../ui/form/field.tsx'
import { toast } from '../../ui/toast.tsx'

const REASON_MAX = 1000

export function PullStopDialog({ onClose, onPulled }: { readonly onClose: () => void; readonly onPulled: () => void }) {
  const t = texts().guardrails
  const [reason, setReason] = useState(t.usualReason)
  const pull = useAction(async () => {
    await client.pullEmergencyStop({ body: { reason: reason.trim() } })
    toast(t.pulled)
    onPulled()
    onClose()
  })
  return (
    <ActionDialog
      title={t.pull}
      action={pull}
      kind="danger"
      icon="stop"
      submit={t.pullNow}
      ready={reason.trim() !== ''}
      onClose={onClose}
    >
      <p>{t.pullText}</p>
      <ReasonField value={reason} onInput={setReason} autofocus />
    </ActionDialog>
  )
}

export const ReasonField = ({
  value,
  onInput,
  autofocus = false,
}: {
  readonly value: string
  readonly onInput: (reason: string) => void
  readonly autofocus?: boolean
}) => (
  <Field
    label={words().reason}
    name="reason"
    value={value}
    onInput={onInput}
    maxLength={REASON_MAX}
    autofocus={autofocus}
    required
  />
)
