/** A supplier's reply has a word or a column that nobody explained yet: an owner does it here, once, and the file is read again. */
import { useState } from 'preact/hooks'
import type { FilePreview } from '../../../contract/shapes/connections/files.ts'
import { type Fields, isFields } from '../../../lib/objects.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { may } from '../../lib/service/me.ts'
import { texts } from '../../lib/text/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/form/field.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { reasonText } from '../../ui/service-detail.tsx'
import { basicsOf } from './connection-answers.ts'

type Question = FilePreview['questions'][number]

interface Props {
  readonly namespace: string
  readonly question: Question
  readonly onSaved: () => void
}

const CODES: ReadonlySet<string> = new Set(['reply_word', 'reply_column'])

export const replyQuestion = ({ questions }: FilePreview): Question | undefined =>
  questions.find(({ code }) => CODES.has(code))

export function AnswerReply({ namespace, question: { code, text, choices }, onSaved }: Props) {
  const t = texts().connections.files
  const [place, setPlace] = useState('')
  const save = useAction(async () => {
    const answers = choices[Number(place)]?.answers
    if (!answers) return
    const now = await client.getConnection({ params: { namespace } })
    const settings = withAnswers(now.settings, answers)
    await client.changeConnection({ params: { namespace }, body: { ...basicsOf(now), settings } })
    onSaved()
  })
  const asked = reasonText(text)
  const isAllowed = may('changeConnection')
  return (
    <div class="stack">
      {isAllowed ? (
        <div class="row bottom">
          <Select
            label={asked}
            value={place}
            onChange={setPlace}
            options={[
              ['', t.reply.none],
              ...choices.map(({ label }, i) => [String(i), t.choices[code]?.[i] ?? label] as const),
            ]}
          />
          <Button kind="primary" action={save} disabled={place === ''}>
            {t.reply.save}
          </Button>
        </div>
      ) : (
        <p>
          <strong>{asked}</strong>
        </p>
      )}
      <p class="note">{isAllowed ? t.reply.note : t.reply.ownerSays}</p>
      {save.error === undefined ? null : <Failure error={save.error} compact />}
    </div>
  )
}

/** Answers that were saved before stay. */
function withAnswers(settings: Fields, answers: Fields): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...settings }
  for (const [name, value] of Object.entries(answers)) {
    const known = merged[name]
    merged[name] = isFields(value) ? withAnswers(isFields(known) ? known : {}, value) : value
  }
  return merged
}
