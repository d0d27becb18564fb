/** What is stored in the currency of the deployment: from then on it stays. */
import type { CurrencyUse } from '../../contract/shapes/settings.ts'
import { hasSessions } from '../../acts/checkout/index.ts'
import { hasPriceLists } from '../../route/connections/index.ts'
import { hasPrices } from '../../route/locations/index.ts'
import { hasSales } from '../../route/sales/index.ts'
import { readStoredRules } from '../../rules/guardrails/index.ts'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../store/store.ts'

/** In the rules: numbers of minor units. */
const AMOUNT_RULES = /^(?:spendingLimit|priceCap|priceDrift|maxUnitPrice)/

export async function findCurrencyUse(
  { readRules }: Pick<Context, 'readRules'>,
  db: Queryable,
): Promise<CurrencyUse | undefined> {
  if (await hasSales(db)) return 'sales'
  if (await hasPrices(db)) return 'prices'
  if (await hasSessions(db)) return 'purchases'
  if (await hasPriceLists(db)) return 'price_lists'
  const { origins } = readRules(await readStoredRules(db))
  return origins.some(({ rule, set_by: by }) => by !== null && AMOUNT_RULES.test(rule)) ? 'rules' : undefined
}
