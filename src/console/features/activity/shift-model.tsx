/** The model of a shift: what it cost, and for the owner what it was told and said. */
import { useState } from 'preact/hooks'
import type { ShiftAnswer } from '../../../contract/shapes/operator/operator.ts'
import { client } from '../../lib/service/api.ts'
import { count, money } from '../../lib/text/format.ts'
import { textsOf } from '../../lib/text/i18n.ts'
import { may } from '../../lib/service/me.ts'
import { useResource } from '../../lib/service/resource.ts'
import { ACTIVITY } from '../../locales/work/activity.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Facts, Section } from '../../ui/section.tsx'
import { Badge, Timestamp } from '../../ui/value.tsx'

const ENTRIES_SHOWN = 100

export function ShiftModel({ shift }: { readonly shift: ShiftAnswer }) {
  const t = textsOf(ACTIVITY)
  const [isOpen, setOpen] = useState(false)
  const { id, model, cost, figures } = shift
  if (!model || !cost) return null
  const { model_tokens: tokens, model_cost: amount } = cost
  return (
    <Section title={t.model}>
      <Facts
        items={[
          [t.model, model.name],
          [t.tokens, t.tokensOf(count(tokens.input), count(tokens.output))],
          figures || amount === null
            ? [t.cost, amount === null || !figures ? t.costUnknown : money(amount, figures.currency)]
            : undefined,
        ]}
      />
      {may('getTranscript') ? (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>{t.transcript}</summary>
          {isOpen ? <Transcript id={id} /> : null}
        </details>
      ) : null}
    </Section>
  )
}

function Transcript({ id }: { readonly id: string }) {
  const t = textsOf(ACTIVITY)
  const transcript = useResource(
    `transcript ${id}`,
    (signal) => client.getTranscript({ params: { id }, query: { limit: ENTRIES_SHOWN }, signal }),
    ['operator'],
    undefined,
    'getTranscript',
  )
  return (
    <Loaded resource={transcript}>
      {({ entries, pagination }) => (
        <div class="stack">
          {entries.length === 0 ? <p class="note">{t.transcriptGone}</p> : null}
          {entries.map(({ at, kind, content }, n) => (
            // oxlint-disable-next-line react/no-array-index-key -- entries are only added
            <details key={n}>
              <summary>
                <Badge tone={kind === 'failure' ? 'bad' : 'calm'}>{t.entries[kind]}</Badge> <Timestamp at={at} />
              </summary>
              <pre class="command">{content}</pre>
            </details>
          ))}
          {pagination?.has_next_page ? <p class="note">{t.transcriptMore}</p> : null}
        </div>
      )}
    </Loaded>
  )
}
