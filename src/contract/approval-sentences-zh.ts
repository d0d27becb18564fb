/** 审批请求的中文句子，控制台和通知共用；写法见 src/lib/fill-sentence.ts。 */
import type { ApprovalCode } from './event-codes.ts'

/** 申请的内容。 */
export const SUBJECTS_ZH = {
  checkout: ['采购单 {id}[，金额 {total}]'],
  replenishment_run: ['补货单 {id}[，金额 {total}]'],
  price_change: [
    '{machine}：{product} 由 {previous} 改为 {price}[，另有 {more} 项]',
    '{machine}：{product} 由 {from} 改为 {to}',
    '改价[：{product}]',
  ],
  slot: ['{name}：用 {other_product} 替换 {product}，预计每周多赚 {gain}'],
}

/** 需要审批的原因，按规则的代码。 */
export const DECISIONS_ZH: Readonly<Record<ApprovalCode, readonly string[]>> = {
  spending_limit: ['{total} 超过单笔 {limit} 的上限，需要审批。'],
  price_cap: [
    '价格变动 {change}，超过允许的 {cap}，需要审批。',
    '价格变动 {change}，超过允许的 {limit}，需要审批。',
    '有一条货道的现价未知，无法核对允许的 {cap}，需要审批。',
  ],
  probation: ['试运行期至 {until}，在此之前每笔采购都需要审批。'],
  spending_limit_day: ['近 24 小时已支出 {used}，再加 {total} 超过每日 {limit} 的上限，需要审批。'],
  spending_limit_week: ['近 7 天已支出 {used}，再加 {total} 超过每周 {limit} 的上限，需要审批。'],
  supplier_limit: ['{total} 超过 {supplier} 单笔 {limit} 的上限，需要审批。'],
  supplier_limit_day: ['近 24 小时在 {supplier} 已支出 {used}，再加 {total} 超过每日 {limit} 的上限，需要审批。'],
  supplier_limit_week: ['近 7 天在 {supplier} 已支出 {used}，再加 {total} 超过每周 {limit} 的上限，需要审批。'],
  key_limit: ['{total} 超过 {key} 单笔 {limit} 的上限，需要审批。'],
  key_limit_day: ['{key} 近 24 小时已支出 {used}，再加 {total} 超过每日 {limit} 的上限，需要审批。'],
  key_limit_week: ['{key} 近 7 天已支出 {used}，再加 {total} 超过每周 {limit} 的上限，需要审批。'],
  unit_price: ['{product} 单价 {price}，超过 {limit} 的上限，需要审批。'],
  line_quantity: ['{product} 数量 {quantity}，超过每行 {limit} 的上限，需要审批。'],
  price_drift: ['与 7 天前的 {before} 相差 {drift}，超过允许的 {limit}，需要审批。'],
  swap_proposed: [
    '{name} 用 {other_product} 替换 {product}，预计每周多赚 {gain}。',
    '{machine} 用 {other_product} 替换 {product}，预计每周多赚 {gain}。',
  ],
  minimum_margin: [
    '售价 {price}，成本 {cost}，毛利低于 {percent}%，需要审批。',
    '成本未知，未检查 {percent}% 的毛利下限。',
  ],
}
