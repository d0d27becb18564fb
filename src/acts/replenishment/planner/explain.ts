/** One sentence that says why a slot gets its action (order, watch, none …), from the numbers of its plan entry. */
import { type CurrencyCode, formatAmount } from '../../../kernel/currency.ts'
import type { PlanEntry } from './machine-plan.ts'

/** Ends an exhaustive switch: a new case does not compile until it is handled. */
function never(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`)
}

export type Language = 'zh' | 'en'

type Basis = PlanEntry['basis']
type Visit = Pick<Basis['visit'], 'lossByWaitingFen' | 'visitThresholdFen' | 'riskShare' | 'load'>

/** As much of a plan entry as the sentence says. */
export interface ExplainedEntry extends Pick<PlanEntry, 'stock' | 'daysOfCover' | 'recommendation'> {
  readonly demand: Pick<PlanEntry['demand'], 'dailyRate' | 'measured' | 'availableDays' | 'earlierDays'>
  readonly basis: Pick<Basis, 'atRisk' | 'leadDays' | 'unitsIfVisited' | 'room' | 'unsoldDays' | 'countedOn'> & {
    readonly visit: Visit
  }
}

export const explain = (entry: ExplainedEntry, language: Language, currency: CurrencyCode): string =>
  SENTENCES[language](entry, (amount) => formatAmount(Math.round(amount), currency))

/** Writes an amount in the currency of the plan. */
type Format = (amount: number) => string

const SENTENCES: Readonly<Record<Language, (entry: ExplainedEntry, format: Format) => string>> = {
  en: explainEn,
  zh: explainZh,
}

/** At most one decimal, and none where it is zero: 3, 1.5, 0.4; small rates keep two. */
const formatNumber = (value: number): string =>
  String(value !== 0 && Math.abs(value) < 0.1 ? Math.round(value * 100) / 100 : Math.round(value * 10) / 10)

const formatPercent = (share: number): string => `${Math.round(share * 100)}%`
const formatCount = (value: number, noun: string): string =>
  `${formatNumber(value)} ${noun}${formatNumber(value) === '1' ? '' : 's'}`

function explainEn({ stock, daysOfCover, demand, recommendation, basis }: ExplainedEntry, format: Format): string {
  const rate = rateInEnglish(demand)
  const left =
    stock === 0
      ? 'it is empty'
      : daysOfCover === null
        ? `${stock} in stock, not expected to run out`
        : `${stock} in stock${countedOnly(basis)} will last about ${formatCount(daysOfCover, 'day')}`
  switch (recommendation.action) {
    case 'locked':
      return `Locked by the operator, so not ordered; ${left}.`
    case 'phase_out':
      return `Being phased out, so not ordered; ${left}.`
    case 'in_transit':
      return `In transit with a placed run; ${left}.`
    case 'order': {
      const { quantity, boxes } = recommendation
      const units = boxes ? `${quantity} (${boxes.count} × ${boxes.contains})` : `${quantity}`
      const reason = basis.atRisk
        ? `, and delivery takes ${formatCount(basis.leadDays, 'day')}`
        : '; the machine is being visited anyway, so top it up'
      return `Order ${units}: the slot ${rate}; ${left}${reason}.`
    }
    case 'watch':
      if (basis.unitsIfVisited === 0)
        return `Watch: the slot ${rate}; ${left}, but there isn't room for the minimum order (room for ${basis.room ?? 0}).`
      return `Watch: the slot ${rate}; ${left}, but a visit isn't worth it yet: ${visitReason(basis.visit, format)}.`
    case 'none':
      if (recommendation.because === 'hard_no_go') return `Not ordered: the product is on the no-go list; ${left}.`
      if (recommendation.because) return `Not ordered: no connected supplier is linked to the product; ${left}.`
      if (basis.unsoldDays) return `No action: nothing was sold in ${basis.unsoldDays} days in stock; ${left}.`
      return demand.dailyRate > 0 ? `No action: the slot ${rate}; ${left}.` : `No action: no sales are known; ${left}.`
    default:
      return never(recommendation.action)
  }
}

/** More was counted than the slot can hold. */
const countedOnly = ({ countedOn }: ExplainedEntry['basis']): string =>
  countedOn === undefined ? '' : ` (counting on ${countedOn}, the most it can hold)`

function rateInEnglish({ dailyRate, measured, availableDays, earlierDays }: ExplainedEntry['demand']): string {
  const perDay = `about ${formatNumber(dailyRate)} a day`
  if (measured) return `sells ${perDay} (${formatCount(availableDays + earlierDays, 'day')} in stock)`
  if (earlierDays > 0) return `sold ${perDay} when it was last in stock`
  return dailyRate > 0
    ? `was not in stock in the time looked at; ${perDay} is estimated from similar slots`
    : 'has no sales history yet'
}

const visitReason = ({ lossByWaitingFen, visitThresholdFen, riskShare, load }: Visit, format: Format): string =>
  lossByWaitingFen === null || visitThresholdFen === null
    ? `${formatPercent(riskShare)} of the machine's sales are at risk, with ${formatCount(load, 'unit')} to deliver`
    : `waiting costs ${format(lossByWaitingFen)} of margin; a visit is worth it from ${format(visitThresholdFen)}`

function explainZh({ stock, daysOfCover, demand, recommendation, basis }: ExplainedEntry, format: Format): string {
  const rate = rateInChinese(demand)
  const left =
    stock === 0
      ? '目前缺货'
      : daysOfCover === null
        ? `库存 ${stock} 件，短期内不会售完`
        : `库存 ${stock} 件${countedOnlyInChinese(basis)}，约可售 ${formatNumber(daysOfCover)} 天`
  switch (recommendation.action) {
    case 'locked':
      return `已被运营人员锁定，不补货；${left}。`
    case 'phase_out':
      return `该商品已停止订货，不补货；${left}。`
    case 'in_transit':
      return `补货单已下单，商品在途；${left}。`
    case 'order': {
      const { quantity, boxes } = recommendation
      const units = boxes ? `${quantity} 件（${boxes.count} 箱 × ${boxes.contains}）` : `${quantity} 件`
      const reason = basis.atRisk ? `到货需 ${formatNumber(basis.leadDays)} 天` : '本次上门顺带补满'
      return `补 ${units}：${rate}，${left}，${reason}。`
    }
    case 'watch':
      if (basis.unitsIfVisited === 0)
        return `关注：${rate}，${left}，但空位只有 ${basis.room ?? 0} 件，不足最小补货量。`
      return `关注：${rate}，${left}，但暂不值得专程上门：${visitReasonInChinese(basis.visit, format)}。`
    case 'none':
      if (recommendation.because === 'hard_no_go') return `不补货：该商品在禁购名单上；${left}。`
      if (recommendation.because) return `不补货：该商品没有关联的供应商商品；${left}。`
      if (basis.unsoldDays) return `无需补货：有货 ${basis.unsoldDays} 天没有售出；${left}。`
      return demand.dailyRate > 0 ? `无需补货：${rate}，${left}。` : `无需补货：暂无销售记录，${left}。`
    default:
      return never(recommendation.action)
  }
}

const countedOnlyInChinese = ({ countedOn }: ExplainedEntry['basis']): string =>
  countedOn === undefined ? '' : `（按货道最多可放的 ${countedOn} 件计算）`

function rateInChinese({ dailyRate, measured, availableDays, earlierDays }: ExplainedEntry['demand']): string {
  const perDay = `每天约售 ${formatNumber(dailyRate)} 件`
  if (measured) return `${perDay}（有货 ${availableDays + earlierDays} 天）`
  if (earlierDays > 0) return `上次有货时${perDay}`
  return dailyRate > 0 ? `观察期内一直缺货，参照同类货道估算${perDay}` : '暂无销售记录'
}

const visitReasonInChinese = (
  { lossByWaitingFen, visitThresholdFen, riskShare, load }: Visit,
  format: Format,
): string =>
  lossByWaitingFen === null || visitThresholdFen === null
    ? `缺货风险货道占本机销售额 ${formatPercent(riskShare)}，可补 ${load} 件`
    : `再等一期预计损失毛利 ${format(lossByWaitingFen)}，达到 ${format(visitThresholdFen)} 才值得`
