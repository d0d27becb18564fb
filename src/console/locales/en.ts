/** Every text of the console in English, by page. The Chinese table must have the same keys, or it does not compile. */
import { approvalsEn } from './en/approvals.ts'
import { catalogEn } from './en/catalog.ts'
import { connectionsEn } from './en/connections.ts'
import { forecastsEn } from './en/forecasts.ts'
import { guardrailsEn } from './en/guardrails.ts'
import { machinesEn } from './en/machines.ts'
import { namesEn } from './en/names.ts'
import { peopleEn } from './en/people.ts'
import { planEn } from './en/plan.ts'
import { purchasesEn } from './en/purchases.ts'
import { runsEn } from './en/runs.ts'
import { shellEn } from './en/shell.ts'
import { todayEn } from './en/today.ts'

export const en = {
  ...shellEn,
  ...namesEn,
  ...todayEn,
  ...approvalsEn,
  ...purchasesEn,
  ...machinesEn,
  ...planEn,
  ...forecastsEn,
  ...runsEn,
  ...catalogEn,
  ...connectionsEn,
  ...peopleEn,
  ...guardrailsEn,
}

export type Texts = typeof en
