/** How many days a product may stay in a machine; empty: no limit. */
import { useState } from 'preact/hooks'
import type { SkuRecord } from '../../../contract/shapes/catalog.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { may } from '../../lib/service/me.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Section } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.tsx'

interface Props {
  readonly record: SkuRecord
  readonly put: (record: SkuRecord) => void
}

export function ShelfLife({ record, put }: Props) {
  const t = texts().operator.shelfLife
  const learned = record.shelf_days_source === 'learned' ? record.shelf_days?.toString() : undefined
  const known = learned === undefined ? (record.shelf_days?.toString() ?? '') : ''
  const [typed, setTyped] = useState<string>()
  const text = typed ?? known
  const save = useAction(async () => {
    const shelf_days = text.trim() === '' ? null : Number(text)
    put(await client.setShelfLife({ params: { sku_id: record.sku_id }, body: { shelf_days } }))
    setTyped(undefined)
    toast(t.saved)
  })
  if (!record.namespace.endsWith('-machine')) return null
  const shown = learned ?? known
  if (!may('setShelfLife')) return shown === '' ? null : <Section title={t.title}>{t.days(shown)}</Section>
  return (
    <Section title={t.title} note={learned === undefined ? t.note : t.learned(learned)}>
      <form
        class="row grow"
        onSubmit={(event) => {
          event.preventDefault()
          void save.run()
        }}
      >
        <Field
          label={t.label}
          hideLabel
          type="number"
          min="1"
          inputMode="numeric"
          placeholder={learned ?? t.none}
          value={text}
          onInput={setTyped}
        />
        <Button type="submit" busy={save.busy} disabled={text === known || !/^([1-9]\d{0,3})?$/.test(text.trim())}>
          {words().save}
        </Button>
      </form>
      {save.error === undefined ? null : <Failure error={save.error} compact />}
    </Section>
  )
}
