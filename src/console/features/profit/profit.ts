/** The profit report, which several pages read. Only for roles that may. */
import type { Profit, ProfitRow } from '../../../contract/shapes/money/sales.ts'
import { client } from '../../lib/service/api.ts'
import { DAY, signedPercent } from '../../lib/text/format.ts'
import { type Resource, collect, useResource } from '../../lib/service/resource.ts'

const ROWS_MAX = 100
const MACHINES_MAX = 2000
const EXPORT_MAX = 10_000
const CHANGED_BY = ['order', 'sync', 'location']
const WEEK_DAYS = 7

/** Without dates: the last 7 full days, as the service counts them. */
export interface Range {
  readonly from?: string
  readonly to?: string
}

export const LAST_WEEK: Range = {}

/** That many days up to the same day. */
export const rangeTo = (to: string, days: number): Range =>
  days === WEEK_DAYS ? LAST_WEEK : { from: new Date(Date.parse(to) - (days - 1) * DAY).toISOString().slice(0, 10), to }

interface Part {
  readonly skuId?: string
  /** As the service sorts: on a long route only it knows the last ones. */
  readonly sort?: string
  readonly limit?: number
  /** With the next step of each row. */
  readonly steps?: boolean
}

export const useProfit = (
  by: 'day' | 'location' | 'product',
  range: Range,
  { skuId, sort, limit = ROWS_MAX, steps = false }: Part = {},
): Resource<Profit> =>
  useResource(
    `profit ${by} ${range.from ?? ''} ${range.to ?? ''} ${skuId ?? ''} ${sort ?? ''} ${limit} ${steps}`,
    (signal) =>
      client.getProfit({
        query: {
          by,
          ...range,
          compare: 'previous',
          limit,
          ...(steps ? { steps } : {}),
          ...(sort === undefined ? {} : { sort }),
          ...(skuId === undefined ? {} : { sku_id: skuId }),
        },
        signal,
      }),
    CHANGED_BY,
    undefined,
    'getProfit',
  )

/** For a file. */
export const allProfitRows = (by: 'location' | 'product', range: Range, sort: string): Promise<readonly ProfitRow[]> =>
  collect(client.all.getProfit({ query: { by, ...range, compare: 'previous', sort, limit: ROWS_MAX } }), EXPORT_MAX)

/** Of the last week, by machine. */
export const useProfitOfMachines = (): Resource<ReadonlyMap<string, ProfitRow>> =>
  useResource<ReadonlyMap<string, ProfitRow>>(
    'profit of machines',
    async (signal) => {
      const rows = await collect(
        client.all.getProfit({ query: { by: 'location', limit: ROWS_MAX }, signal }),
        MACHINES_MAX,
      )
      return new Map(rows.flatMap((row) => (row.key.location === undefined ? [] : [[row.key.location, row] as const])))
    },
    CHANGED_BY,
    undefined,
    'getProfit',
  )

/** Empty where there was nothing before. */
export const changeOf = (now: number, before: number): string =>
  before === 0 ? '' : signedPercent((now - before) / Math.abs(before))
