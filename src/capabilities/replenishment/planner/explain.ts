/** One sentence on why a slot is ordered, watched or left alone, from the numbers the entry itself carries. */
import { yuan } from '../../../kernel/fen.ts'
import { never } from '../../../kernel/never.ts'
import type { PlanEntry } from './machine-plan.ts'

export type Language = 'zh' | 'en'

export const explain = (entry: PlanEntry, language: Language): string => SENTENCES[language](entry)

const SENTENCES: Readonly<Record<Language, (entry: PlanEntry) => string>> = { en: inEnglish, zh: inChinese }

/** At most one decimal, and none where it says nothing: 3, 1.5, 0.4; small rates keep two. */
const number = (value: number): string =>
  String(value !== 0 && Math.abs(value) < 0.1 ? Math.round(value * 100) / 100 : Math.round(value * 10) / 10)

const percent = (share: number): string => `${Math.round(share * 100)}%`
const money = (amountFen: number): string => yuan(Math.round(amountFen))
const s = (count: number): string => (count === 1 ? '' : 's')

function inEnglish(entry: PlanEntry): string {
  const { stock, daysOfCover, demand, recommendation, basis } = entry
  const { visit } = basis
  const pace = demand.measured
    ? `sells about ${number(demand.dailyRate)} a day (${demand.availableDays} day${s(demand.availableDays)} in stock)`
    : `was never seen in stock, so about ${number(demand.dailyRate)} a day is inferred from its peers`
  const left =
    stock === 0
      ? 'it is empty'
      : daysOfCover === null
        ? `${stock} in stock will not run out in sight`
        : `${stock} in stock last about ${number(daysOfCover)} day${s(daysOfCover)}`
  const lead = `goods take ${number(basis.leadDays)} day${s(basis.leadDays)}`
  switch (recommendation.action) {
    case 'locked':
      return `Locked by the operator and not ordered; ${left}.`
    case 'in_transit':
      return `Already on its way in a placed run; ${left}.`
    case 'order': {
      const boxes = recommendation.boxes
      const amount = boxes
        ? `${recommendation.quantity} (${boxes.count} × ${boxes.contains})`
        : `${recommendation.quantity}`
      const because = basis.atRisk ? lead : 'the machine is visited anyway and this tops it up'
      return `Order ${amount}: the slot ${pace}, ${left} and ${because}.`
    }
    case 'watch':
      if (basis.wanted === 0)
        return `Watch: the slot ${pace} and ${left}, but there is room for only ${basis.room ?? 0}.`
      return `Watch: the slot ${pace} and ${left}, but ${notYet(visit)}.`
    case 'none':
      return demand.dailyRate > 0
        ? `Nothing to do: the slot ${pace}; ${left}.`
        : `Nothing to do: no sales to go by; ${left}.`
    default:
      return never(recommendation.action)
  }
}

function notYet({ waitingFen, worthFen, riskShare, load }: PlanEntry['basis']['visit']): string {
  if (waitingFen === null || worthFen === null) {
    return `a visit is not worth it yet: ${percent(riskShare)} of the machine's sales at risk, ${load} unit${s(load)} to bring`
  }
  return `a visit is not worth it yet: waiting loses ${money(waitingFen)} of margin, a visit is worth it from ${money(worthFen)}`
}

function inChinese(entry: PlanEntry): string {
  const { stock, daysOfCover, demand, recommendation, basis } = entry
  const { visit } = basis
  const pace = demand.measured
    ? `每天约售 ${number(demand.dailyRate)} 件（有货 ${demand.availableDays} 天）`
    : `窗口期内一直缺货，按同类推算每天约售 ${number(demand.dailyRate)} 件`
  const left =
    stock === 0
      ? '现已售空'
      : daysOfCover === null
        ? `库存 ${stock} 件，短期不会售完`
        : `库存 ${stock} 件，约可售 ${number(daysOfCover)} 天`
  switch (recommendation.action) {
    case 'locked':
      return `已被运营人员锁定，不补货；${left}。`
    case 'in_transit':
      return `已在途，等待到货；${left}。`
    case 'order': {
      const boxes = recommendation.boxes
      const amount = boxes
        ? `${recommendation.quantity} 件（${boxes.count} 箱 × ${boxes.contains}）`
        : `${recommendation.quantity} 件`
      const because = basis.atRisk ? `到货需 ${number(basis.leadDays)} 天` : '本次到访顺带补满'
      return `补 ${amount}：${pace}，${left}，${because}。`
    }
    case 'watch':
      if (basis.wanted === 0) return `关注：${pace}，${left}，但空位只有 ${basis.room ?? 0} 件。`
      return `关注：${pace}，${left}，但${notYetInChinese(visit)}。`
    case 'none':
      return demand.dailyRate > 0 ? `无需补货：${pace}，${left}。` : `无需补货：暂无销售可参考，${left}。`
    default:
      return never(recommendation.action)
  }
}

function notYetInChinese({ waitingFen, worthFen, riskShare, load }: PlanEntry['basis']['visit']): string {
  if (waitingFen === null || worthFen === null) {
    return `暂不值得专程到访：有风险的货道占本机销售额 ${percent(riskShare)}，可补 ${load} 件`
  }
  return `暂不值得专程到访：再等一次损失毛利 ${money(waitingFen)}，达到 ${money(worthFen)} 才值得`
}
