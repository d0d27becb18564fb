import type { RunStatus } from '../../contract/replenishment.ts'
import { useAction } from '../lib/action.ts'
import { client } from '../lib/api.ts'
import { totalOf } from '../lib/format.ts'
import { w } from '../lib/i18n.ts'
import { gather, useResource } from '../lib/resource.ts'
import { go, href, query, setQuery } from '../lib/router.ts'
import { Button } from '../ui/button.tsx'
import { Failure, Loaded } from '../ui/messages.tsx'
import { Badge, Choice, Empty, Money, PageHeader, Skeleton, When } from '../ui/parts.tsx'
import type { Tone } from '../ui/parts.tsx'

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

/** Orders to fill the machines: made, placed, received. */
export function Runs() {
  const words = w().runs
  const runs = useResource(
    'runs',
    (signal) => gather(client.all.listRuns({ query: { limit: 50 }, signal }), RUNS_MAX),
    ['replenishment', 'approval'],
  )
  const make = useAction(async () => go(href.run((await client.createRun()).id)))
  const show = query('show') === 'all' ? 'all' : 'open'
  return (
    <>
      <PageHeader
        title={w().pages.runs}
        lead={words.lead}
        actions={
          <Button kind="primary" icon="runs" busy={make.busy} onClick={() => void make.run()}>
            {make.busy ? w().plan.making : w().plan.make}
          </Button>
        }
      />
      {make.error === undefined ? null : <Failure error={make.error} />}
      <Choice
        label={words.show}
        value={show}
        onChange={(value) => setQuery({ show: value === 'open' ? undefined : value })}
        tabs={[
          { name: 'open', text: words.open },
          { name: 'all', text: words.all },
        ]}
      />
      <Loaded of={runs} wait={<Skeleton lines={6} height={44} />}>
        {(all) => {
          const list = show === 'all' ? all : all.filter(({ status }) => OPEN.has(status))
          if (list.length === 0)
            return (
              <Empty icon="runs" title={all.length === 0 ? words.none : words.noneOpen}>
                <a href="/plan">{words.noneText}</a>
              </Empty>
            )
          return (
            <div class="table-box card flush">
              <table class="data">
                <thead>
                  <tr>
                    <th scope="col">{words.run}</th>
                    <th scope="col">{words.status}</th>
                    <th scope="col" class="number">
                      {words.units}
                    </th>
                    <th scope="col" class="number">
                      {words.machines}
                    </th>
                    <th scope="col" class="number">
                      {words.cost}
                    </th>
                    <th scope="col">{words.made}</th>
                  </tr>
                </thead>
                <tbody>
                  {list.map((run) => (
                    <tr key={run.id}>
                      <td>
                        <a href={href.run(run.id)}>{run.id}</a>
                      </td>
                      <td data-label={words.status}>
                        <Badge tone={RUN_TONE[run.status]}>{w().runStatus[run.status]}</Badge>
                      </td>
                      <td class="number" data-label={words.units}>
                        {run.line_items.reduce((sum, { quantity }) => sum + (quantity.original ?? quantity.total), 0)}
                      </td>
                      <td class="number" data-label={words.machines}>
                        {new Set(run.line_items.map(({ location }) => location)).size}
                      </td>
                      <td class="number" data-label={words.cost}>
                        {run.cost_is_estimated ? <span class="faint">≈ </span> : null}
                        <Money fen={totalOf(run.totals)} />
                      </td>
                      <td data-label={words.made}>
                        <When at={run.created_at} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }}
      </Loaded>
    </>
  )
}
