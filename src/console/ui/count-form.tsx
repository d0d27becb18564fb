/** Records how much is in a slot now: the start of our own book where the platform reports no stock. */
import { useState } from 'preact/hooks'
import type { Variant } from '../../contract/catalog.ts'
import { useAction } from '../lib/action.ts'
import { client } from '../lib/api.ts'
import { texts, words } from '../lib/i18n.ts'
import { ActionDialog } from './action-dialog.tsx'
import { Field } from './field.tsx'
import { toast } from './toast.tsx'

interface Props {
  readonly location: string
  readonly variant: Variant
  readonly onClose: () => void
  readonly onCounted: () => void
}

const isCount = (text: string): boolean => /^\d{1,6}$/.test(text)

export function CountForm({ location, variant, onClose, onCounted }: Props) {
  const t = texts().machine
  const { inventory } = variant
  const [text, setText] = useState(inventory?.stock?.toString() ?? '')
  const count = useAction(async () => {
    if (!inventory) return
    const stock = Number(text)
    await client.updateSlot({ params: { id: location, slot_id: inventory.slot_id }, body: { stock } })
    toast(t.countedToast(variant.title, stock))
    onCounted()
    onClose()
  })
  return (
    <ActionDialog title={t.countTitle} action={count} submit={words().save} ready={isCount(text)} onClose={onClose}>
      <p class="strong">{variant.title}</p>
      <Field
        label={t.countLabel}
        name="stock"
        inputMode="numeric"
        autocomplete="off"
        autofocus
        value={text}
        onInput={setText}
        hint={t.countHint}
        error={text !== '' && !isCount(text) ? t.countInvalid : undefined}
      />
    </ActionDialog>
  )
}
