/** Records how much is in a slot now: the start of our own book where the platform reports no stock. */
import { useState } from 'preact/hooks'
import type { Variant } from '../../../contract/shapes/catalog.ts'
import { useAction } from '../../lib/service/action.ts'
import { client, VendopsError } from '../../lib/service/api.ts'
import { type DoubtfulCount, doubtText, doubtsIn, isAboveCapacity } from '../visits/doubtful-count.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { ActionDialog } from '../../ui/form/action-dialog.tsx'
import { Field } from '../../ui/form/field.tsx'
import { toast } from '../../ui/toast.tsx'

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
  /** The number that was asked about, and why; saving it once more confirms it. */
  const [doubt, setDoubt] = useState<DoubtfulCount>()
  const isAsked = doubt !== undefined && text === String(doubt.counted)
  const count = useAction(async () => {
    if (!inventory) return
    const stock = Number(text)
    const { slot_id, capacity } = inventory
    if (!isAsked && isAboveCapacity(stock, capacity))
      return setDoubt({ product: variant.title, counted: stock, capacity: capacity ?? undefined })
    try {
      const body = { stock, ...(isAsked ? { confirm_count: true as const } : {}) }
      await client.updateSlot({ params: { id: location, slot_id }, body })
    } catch (failure) {
      const [asked] = failure instanceof VendopsError ? doubtsIn(failure.messages) : []
      if (!asked) throw failure
      return setDoubt(asked)
    }
    toast(t.countedToast(variant.title, stock))
    onCounted()
    onClose()
  })
  return (
    <ActionDialog
      title={t.countTitle}
      action={count}
      submit={isAsked ? texts().doubt.yesSave(Number(text)) : words().save}
      ready={isCount(text)}
      onClose={onClose}
    >
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
        error={text !== '' && !isCount(text) ? t.countInvalid : isAsked ? doubtText(doubt) : undefined}
      />
    </ActionDialog>
  )
}
