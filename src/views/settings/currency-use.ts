/** What is stored in the currency of the deployment: from then on it stays. */
import type { CurrencyUse } from '../../contract/shapes/settings.ts'
import { hasSessions } from '../../acts/checkout/index.ts'
import { hasPriceLists } from '../../route/connections/index.ts'
import { hasPrices } from '../../route/locations/index.ts'
import { hasSales } from '../../route/sales/index.ts'
import { isAmountRule, readStoredRules } from '../../rules/guardrails/index.ts'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../store/store.ts'

export async function findCurrencyUse(
  { readRules }: Pick<Context, 'readRules'>,
  db: Queryable,
): Promise<CurrencyUse | undefined> {
  if (await hasSales(db)) return 'sales'
  if (await hasPrices(db)) return 'prices'
  if (await hasSessions(db)) return 'purchases'
  if (await hasPriceLists(db)) return 'price_lists'
  const { origins } = readRules(await readStoredRules(db))
  return origins.some(({ rule, set_by: by }) => by !== null && isAmountRule(rule)) ? 'rules' : undefined
}

/** Nobody chose it, and nothing is stored in it: amounts that are typed now could be in any. */
export const isCurrencyOpen = async (ctx: Pick<Context, 'readRules' | 'config' | 'store'>): Promise<boolean> =>
  !ctx.config.isCurrencyChosen && (await findCurrencyUse(ctx, ctx.store.db)) === undefined
