/** Amounts came before the currency was chosen: an owner chooses it here, and goes on. */
import { useState } from 'preact/hooks'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { may, refreshMe } from '../../lib/service/me.ts'
import { currencyOptions } from '../../lib/text/currency-options.ts'
import { texts } from '../../lib/text/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/form/field.tsx'
import { Failure } from '../../ui/loaded.tsx'

/** Of the question in a preview. */
export const CURRENCY_QUESTION = 'currency'

interface Props {
  readonly onChosen: () => void
  /** Before which amounts it is chosen. */
  readonly before?: 'file' | 'rules'
}

export function ChooseCurrency({ onChosen, before = 'file' }: Props) {
  const t = texts().connections.files.currency
  const [currency, setCurrency] = useState('')
  const choose = useAction(async () => {
    await client.changeSettings({ body: { currency } })
    await refreshMe()
    onChosen()
  })
  return (
    <div class="stack" role="group" aria-label={t.title}>
      <p>
        <strong>{t.title}</strong>
      </p>
      <p class="note">
        {may('changeSettings') ? t.note[before] : t.ownerChooses} <a href="/settings">{texts().pages.settings}</a>
      </p>
      {may('changeSettings') ? (
        <div class="row bottom">
          <Select
            label={t.label}
            value={currency}
            onChange={setCurrency}
            options={[['', t.none], ...currencyOptions()]}
          />
          <Button kind="primary" action={choose} disabled={currency === ''}>
            {t.choose}
          </Button>
        </div>
      ) : null}
      {choose.error === undefined ? null : <Failure error={choose.error} compact />}
    </div>
  )
}
