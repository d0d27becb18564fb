import type { RunStatus } from '../../../contract/shapes/run-status.ts'
import { runSize } from '../../../kernel/sizes.ts'
import { client } from '../../lib/service/api.ts'
import { totalOf } from '../../lib/text/format.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { collect, useResource } from '../../lib/service/resource.ts'
import { seesMoney } from '../../lib/service/me.ts'
import { href, query } from '../../lib/router.ts'
import { runName, runStatusText } from './run-text.ts'
import { ListPage } from '../../ui/table/list.tsx'
import { useOrder } from './order-button.tsx'
import { Badge, Money, RelativeTime } from '../../ui/value.tsx'
import type { Tone } from '../../lib/text/tone.ts'
import { QueryChoice } from '../../ui/table/query-filters.tsx'

const RUNS_MAX = 200
export const RUN_TONE: Readonly<Record<RunStatus, Tone>> = {
  blocked: 'bad',
  nothing_to_do: 'calm',
  pending_approval: 'warn',
  approved: 'info',
  rejected: 'bad',
  placed: 'info',
  delivered: 'ok',
}
const OPEN: ReadonlySet<RunStatus> = new Set(['pending_approval', 'approved', 'placed'])

export function Runs() {
  const t = texts().runs
  const runs = useResource(
    'runs',
    (signal) => collect(client.all.listRuns({ query: { limit: 50 }, signal }), RUNS_MAX),
    ['replenishment', 'approval'],
  )
  const order = useOrder(true)
  const show = query('show') === 'all' ? 'all' : 'open'
  return (
    <ListPage
      title={texts().pages.runs}
      lead={t.lead}
      actions={order.button}
      above={order.outcome}
      filters={<QueryChoice of="show" label={t.show} value={show} tabs={{ open: t.open, all: words().all }} />}
      rows={runs}
      only={({ status }) => show === 'all' || OPEN.has(status)}
      filterNames={[]}
      icon="runs"
      none={(all) => (all.length === 0 ? t.none : t.noneOpen)}
      next={<a href="/plan">{t.noneText}</a>}
      csv={texts().pages.runs}
      keyOf={({ id }) => id}
      columns={[
        {
          title: texts().pages.run,
          sort: ({ created_at: at }) => at,
          cell: (run) => <a href={href.run(run.id)}>{runName(run)}</a>,
        },
        {
          title: words().status,
          cell: (run) => <Badge tone={RUN_TONE[run.status]}>{runStatusText(run)}</Badge>,
        },
        { title: texts().run.neededColumn, isNumber: true, cell: ({ line_items: lines }) => runSize(lines).units },
        seesMoney() && {
          title: words().cost,
          isNumber: true,
          cell: ({ line_items: lines, totals, currency, cost_is_estimated: isEstimated }) =>
            lines.length > 0 && <Money amount={totalOf(totals)} currency={currency} isEstimated={isEstimated} />,
        },
        { title: words().created, cell: ({ created_at: at }) => <RelativeTime at={at} /> },
      ]}
    />
  )
}
