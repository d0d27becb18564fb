/** What pressing would do: asked with a dry run, which checks everything and writes nothing, before anything is pressed. */
import type { Message, RuleEvidence } from '../../../contract/common.ts'
import { texts } from '../../lib/text/i18n.ts'
import { usePreview } from '../../lib/service/preview.ts'
import { ruleSentence } from '../../lib/text/service-text.ts'
import { Failure } from '../loaded.tsx'
import { Messages } from '../messages.tsx'
import { Notice } from '../notice.tsx'

interface Answer {
  /** Of a purchase. */
  readonly status?: string
  readonly evidence?: readonly RuleEvidence[]
  readonly messages?: readonly Message[]
}

interface Props {
  /** What is asked about; a new one is asked again. */
  readonly of: string
  readonly ask: (signal: AbortSignal) => Promise<Answer>
}

export function DryRun({ of, ask }: Props) {
  const t = texts().dryRun
  const { data, error, busy } = usePreview(of, ask)
  return (
    <div class="stack" aria-live="polite">
      {busy ? (
        <p class="note">{t.checking}</p>
      ) : data ? (
        <DryRunResult {...data} />
      ) : (
        <>
          <p class="strong">{t.refused}</p>
          <Failure error={error} compact />
        </>
      )}
    </div>
  )
}

const AT_LINES: ReadonlySet<string> = new Set(['price_estimated', 'unresolved_sku'])

/** The evidence names the rules that are exceeded also where the owner has approved it already. */
const needsApproval = ({ status, messages = [] }: Answer): boolean =>
  status === 'requires_escalation' || messages.some(({ code }) => code === 'approval_required')

/** One of each text, and none about single lines: they stand at their lines, and many would hide what has to be typed. */
function messagesOf({ messages = [] }: Answer): readonly Message[] {
  const shown = messages.filter(({ code }) => !AT_LINES.has(code) && code !== 'approval_required')
  return [...new Map(shown.map((message) => [`${message.code} ${message.content}`, message])).values()]
}

export function DryRunResult(answer: Answer) {
  const t = texts().dryRun
  const { evidence = [] } = answer
  const asks = evidence.filter((rule) => rule.needs_approval)
  if (!needsApproval(answer))
    return (
      <>
        <p class="note">{asks.length === 0 ? t.allowed : t.approved}</p>
        <Messages messages={messagesOf(answer)} />
      </>
    )
  return (
    <>
      <Notice tone="warn" title={t.needsApproval}>
        {[...new Set(asks.map((rule) => ruleSentence(rule) ?? rule.text))].map((text) => (
          <p key={text}>{text}</p>
        ))}
      </Notice>
      <Messages messages={messagesOf(answer)} />
    </>
  )
}
