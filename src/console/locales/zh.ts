/** 控制台的全部中文文案，按页面分文件。键与英文表一致，缺少任何一个都无法通过编译。 */
import type { Texts } from './en.ts'
import { approvalsZh } from './zh/approvals.ts'
import { catalogZh } from './zh/catalog.ts'
import { connectionsZh } from './zh/connections.ts'
import { forecastsZh } from './zh/forecasts.ts'
import { guardrailsZh } from './zh/guardrails.ts'
import { machinesZh } from './zh/machines.ts'
import { namesZh } from './zh/names.ts'
import { peopleZh } from './zh/people.ts'
import { planZh } from './zh/plan.ts'
import { purchasesZh } from './zh/purchases.ts'
import { runsZh } from './zh/runs.ts'
import { shellZh } from './zh/shell.ts'
import { todayZh } from './zh/today.ts'

export const zh: Texts = {
  ...shellZh,
  ...namesZh,
  ...todayZh,
  ...approvalsZh,
  ...purchasesZh,
  ...machinesZh,
  ...planZh,
  ...forecastsZh,
  ...runsZh,
  ...catalogZh,
  ...connectionsZh,
  ...peopleZh,
  ...guardrailsZh,
}
