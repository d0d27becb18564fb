/** Who changed which rule, when, and from what to what. */
import type { EditableRule, RuleChange } from '../../../contract/shapes/guardrails.ts'
import { client } from '../../lib/service/api.ts'
import { decimal, money } from '../../lib/text/format.ts'
import { texts } from '../../lib/text/i18n.ts'
import { me } from '../../lib/service/me.ts'
import { useResource } from '../../lib/service/resource.ts'
import { personName } from '../../lib/text/value-text.ts'
import { DataTable } from '../../ui/table/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { Timestamp } from '../../ui/value.tsx'

const SHOWN = 50
const AMOUNTS = /^(?:spendingLimitPer|priceCap|priceDrift|maxUnitPrice)/

export function RuleHistory() {
  const t = texts().guardrails
  const changes = useResource(
    'rule changes',
    async (signal) => (await client.listRuleChanges({ query: { limit: SHOWN }, signal })).changes,
    ['guardrail'],
    undefined,
    'listRuleChanges',
  )
  return (
    <Section title={t.history}>
      <Loaded resource={changes}>
        {(list) =>
          list.length === 0 ? (
            <p class="note">{t.noHistory}</p>
          ) : (
            <DataTable
              csv={t.history}
              rows={list}
              keyOf={({ at, rule }) => `${at} ${rule}`}
              columns={[
                { title: t.rule, cell: ({ rule }) => t.names[rule as EditableRule]?.[0] ?? rule },
                { title: t.before, cell: (change) => valueText(change, change.before) },
                { title: t.after, cell: (change) => valueText(change, change.after) },
                { title: t.by, cell: ({ by }) => personName(by) },
                { title: t.changedAt, cell: ({ at }) => <Timestamp at={at} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  )
}

function valueText({ rule }: RuleChange, value: unknown): string {
  const t = texts().guardrails
  const currency = me.value?.currency
  if (value === null || value === undefined) return t.notSet
  if (typeof value === 'number') return AMOUNTS.test(rule) && currency ? money(value, currency) : decimal(value)
  if (typeof value === 'boolean') return value ? t.yes : t.no
  if (typeof value === 'string') return (t.levels as Readonly<Record<string, string>>)[value] ?? value
  if (Array.isArray(value)) return value.length === 0 ? t.none : value.join(', ')
  return Object.keys(value).join(', ') || t.none
}
