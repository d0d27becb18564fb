/** The note and the photo of a visit. */
import { useState } from 'preact/hooks'
import type { Draft } from '../lib/device/draft.ts'
import { readPhoto } from '../lib/device/photo.ts'
import { words, textsOf } from '../lib/i18n.ts'
import { VISITS } from '../locales/visits.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import { FileButton } from './file-button.tsx'
import { Notice } from './notice.tsx'

const NOTE_MAX = 1000

interface Props {
  readonly draft: Draft
  readonly name: string
  readonly change: (draft: Draft) => void
}

export function VisitExtras({ draft, name, change }: Props) {
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
  return (
    <div class="visit-extras stack">
      <Field
        label={words().note}
        value={draft.note}
        onInput={(note) => change({ ...draft, note })}
        maxLength={NOTE_MAX}
      />
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
