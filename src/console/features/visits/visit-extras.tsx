/** The cash, the note, a fault and the photo of a visit. */
import { useState } from 'preact/hooks'
import type { CurrencyCode } from '../../../kernel/currency.ts'
import { type Draft, cashOf } from './device/draft.ts'
import { readPhoto } from './device/photo.ts'
import { amountText, currencySign } from '../../lib/text/format.ts'
import { texts, words, textsOf } from '../../lib/text/i18n.ts'
import { VISITS } from '../../locales/visits.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { FileButton } from '../../ui/form/file-button.tsx'
import { Notice } from '../../ui/notice.tsx'

const NOTE_MAX = 1000
const BAG_MAX = 128
const FAULT_MAX = 500

interface Props {
  readonly draft: Draft
  readonly name: string
  readonly change: (draft: Draft) => void
  /** Undefined until the service said it once: cash is not entered then. */
  readonly currency: CurrencyCode | undefined
}

export function VisitExtras({ draft, name, change, currency }: Props) {
  const t = textsOf(VISITS)
  const [failed, setFailed] = useState(false)
  const { photo, ...rest } = draft
  const choose = async (file: File) => {
    setFailed(false)
    try {
      change({ ...draft, photo: await readPhoto(file) })
    } catch {
      setFailed(true)
    }
  }
  const cash = cashOf(draft, currency)
  return (
    <div class="visit-extras stack">
      {currency === undefined ? null : (
        <div class="row visit-cash">
          <Field
            label={t.cash}
            prefix={currencySign(currency)}
            inputMode="decimal"
            autocomplete="off"
            value={draft.cash ?? ''}
            onInput={(typed) => change({ ...draft, cash: typed })}
            error={cash?.ok === false ? texts().amountProblems[cash.problem](amountText(12_050, currency)) : undefined}
          />
          {(draft.cash ?? '') === '' ? null : (
            <Field
              label={t.bag}
              autocomplete="off"
              value={draft.bag ?? ''}
              onInput={(bag) => change({ ...draft, bag })}
              maxLength={BAG_MAX}
            />
          )}
        </div>
      )}
      <Field
        label={words().note}
        value={draft.note}
        onInput={(note) => change({ ...draft, note })}
        maxLength={NOTE_MAX}
      />
      <fieldset class="stack visit-fault">
        <legend>{t.fault}</legend>
        <div class="row">
          {Object.values(t.faults).map((fault) => (
            <Button
              key={fault}
              aria-pressed={draft.fault === fault}
              onClick={() => change({ ...draft, fault: draft.fault === fault ? '' : fault })}
            >
              {fault}
            </Button>
          ))}
        </div>
        <Field
          label={t.faultText}
          hint={t.faultHint}
          value={draft.fault ?? ''}
          onInput={(fault) => change({ ...draft, fault })}
          maxLength={FAULT_MAX}
        />
      </fieldset>
      <div class="row photo">
        {photo === undefined ? (
          <FileButton icon="camera" text={t.photoTake} accept="image/*" capture="environment" onChoose={choose} />
        ) : (
          <>
            <img src={photo} alt={t.photoAlt(name)} />
            <Button onClick={() => change(rest)}>{t.photoRemove}</Button>
          </>
        )}
        <p class="note">{t.photoHint}</p>
      </div>
      {failed ? (
        <Notice tone="bad" urgent>
          {t.photoFailed}
        </Notice>
      ) : null}
    </div>
  )
}
