/** How much of a limit is used, and how much this would use. */
import type { RuleEvidence } from '../../../contract/common.ts'
import { money, percent } from '../../lib/text/format.ts'
import { texts } from '../../lib/text/i18n.ts'

interface Amount {
  readonly amount: number
  readonly currency: string
}

const isAmount = (value: unknown): value is Amount =>
  typeof value === 'object' && value !== null && 'amount' in value && typeof value.amount === 'number'

export function RuleUse({ rule: { params = {} } }: { readonly rule: RuleEvidence }) {
  const t = texts().approvals
  const read = (...names: readonly string[]) => names.map((name) => params[name]).find(isAmount)
  const [limit, asked] = [read('limit', 'cap'), read('total', 'change', 'drift')]
  if (!limit || !asked || limit.amount <= 0) return null
  const used = read('used')?.amount ?? 0
  const sum = used + asked.amount
  const width = (amount: number) => ({ width: `${(100 * amount) / Math.max(sum, limit.amount)}%` })
  return (
    <div class="rule-use">
      <span class="bar parts" aria-hidden="true">
        <span class="calm" style={width(used)} />
        <span class={sum > limit.amount ? 'warn' : 'ok'} style={width(asked.amount)} />
        <i style={{ left: width(limit.amount).width }} />
      </span>
      <span class="faint">
        {t.ruleUse(money(sum, limit.currency), money(limit.amount, limit.currency), percent(sum / limit.amount))}
      </span>
    </div>
  )
}
