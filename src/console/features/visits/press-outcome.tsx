/** Where an entry of this device stands: kept, sent or refused, with what can be done about it. */
import { useEffect, useState } from 'preact/hooks'
import { useAction } from '../../lib/service/action.ts'
import { newIdempotencyKey } from '../../lib/service/api.ts'
import { type VisitPress, dropPress, keepPress } from './device/presses.ts'
import { sendPresses } from './device/send.ts'
import { dropDraft, restoreDraft, undoMinutes, undoOf, undoPress } from './device/visit-state.ts'
import { type Draft, draftId } from './device/draft.ts'
import { dateTime, fromNow } from '../../lib/text/format.ts'
import { doubtText, doubtsIn } from './doubtful-count.ts'
import { href, navigate } from '../../lib/router.ts'
import { messageText } from '../../lib/text/service-text.ts'
import { codeTitle } from '../../lib/text/value-text.ts'
import { texts, words, textsOf } from '../../lib/text/i18n.ts'
import { VISITS } from '../../locales/visits.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toast.tsx'

const TICK_MS = 20_000

export function PressOutcome({ press }: { readonly press: VisitPress }) {
  const t = textsOf(VISITS)
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  const undo = useAction(async () => {
    await undoPress(press)
    const left = undoOf(press)
    if (left?.state !== 'refused') toast(left === undefined ? t.undone : t.undoKept)
  })
  const minutes = undoMinutes(press)
  const asked = undoOf(press)
  return (
    <div class="stack press-outcome">
      <div class="row">
        <span class="note">
          {press.state === 'sent' && press.sentAt ? t.sentAt(fromNow(press.sentAt)) : t.keptAt(fromNow(press.at))}
        </span>
        {minutes === undefined ? null : (
          <Button action={undo}>{Number.isFinite(minutes) ? t.undoLeft(minutes) : words().undo}</Button>
        )}
      </div>
      {undo.error === undefined ? null : (
        <Notice tone="bad" urgent>
          {t.keptFailed}
        </Notice>
      )}
      {press.state === 'refused' ? <Refused press={press} /> : null}
      {asked?.state === 'refused' ? (
        <Notice
          tone="bad"
          title={`${words().undo}: ${codeTitle(asked.refusal?.code ?? '') ?? t.refusedTitle}`}
          action={<Button onClick={() => void forgetUndo(press, asked.id)}>{t.discard}</Button>}
        >
          {asked.refusal?.text}
        </Notice>
      ) : null}
    </div>
  )
}

/** The visit stays booked, so what was put back to be changed goes, too. */
async function forgetUndo(press: VisitPress, undo: string): Promise<void> {
  await dropDraft((press.draft as Draft).id)
  await dropPress(undo)
}

function Refused({ press }: { readonly press: VisitPress }) {
  const t = textsOf(VISITS)
  const { code = '', text = '', messages = [] } = press.refusal ?? {}
  const doubts = doubtsIn(messages)
  const lines =
    doubts.length > 0
      ? doubts.map((doubt) => `${doubt.product}: ${doubtText(doubt)}`)
      : messages.map(messageText).flatMap((line) => line.text ?? [])
  /** Another request, so it has another key; the refused one was not booked. */
  const confirm = async () => {
    const { refusal: _refusal, triedMs: _tried, ...entered } = press
    const body = { ...press.body, confirm_count: true as const }
    await keepPress({ ...entered, id: newIdempotencyKey(), state: 'kept', body })
    await dropPress(press.id)
    void sendPresses()
  }
  const change = async () => {
    // A stop that somebody else received takes no second receipt: what was counted and taken out becomes a visit without a run.
    const isReceived = code === 'already_delivered'
    const run = isReceived ? undefined : press.run
    await restoreDraft(press, { id: draftId(press.person, press.location, run), ...(isReceived ? { filled: {} } : {}) })
    await dropPress(press.id)
    navigate(href.visit(press.location, run))
  }
  return (
    <Notice
      tone="bad"
      title={
        doubts.length > 0
          ? texts().doubt.title
          : code === 'unclear'
            ? t.refusedTitle
            : (codeTitle(code) ?? t.refusedTitle)
      }
      action={
        <span class="row">
          {doubts.length > 0 ? <Button onClick={() => void confirm()}>{texts().doubt.yes}</Button> : null}
          <Button onClick={() => void change()}>{t.change}</Button>
          <Button kind="quiet" onClick={() => void dropPress(press.id)}>
            {t.discard}
          </Button>
        </span>
      }
    >
      {code === 'unclear' ? t.unclear : (lines.length > 0 ? lines : [text]).map((line) => <p key={line}>{line}</p>)}
      <p class="faint">{t.keptAt(dateTime(press.at))}</p>
    </Notice>
  )
}
