/** Texts of the page on which products in machines are linked to supplier products. */
import { grouped, plural } from '../lib/text/plural.ts'

const en = {
  lead: 'Products in machines that cannot be ordered yet, with the supplier product that seems to be the same.',
  none: 'Every product has a supplier',
  product: 'In the machines',
  suggestion: 'At the supplier',
  noSuggestion: 'No suggestion',
  find: 'Find a match',
  choose: (title: string) => `Confirm the link of ${title}`,
  chooseAll: (n: number) => `Choose all ${grouped(n)} with a suggestion`,
  confirm: (n: number) => (n === 0 ? 'Confirm links' : `Confirm ${plural(n, 'link')}`),
  confirmed: (n: number) => `${plural(n, 'link')} confirmed`,
  count: (n: number) => plural(n, 'product'),
  note: 'A confirmed link decides what is ordered. Compare size and packaging first.',
}

const zh: typeof en = {
  lead: '机器里还没法下单的商品，以及看起来是同款的供应商商品。',
  none: '所有商品都有供应商',
  product: '机器中的商品',
  suggestion: '供应商商品',
  noSuggestion: '没有建议',
  find: '查找匹配',
  choose: (title) => `确认 ${title} 的关联`,
  chooseAll: (n) => `选择全部 ${grouped(n)} 个有建议的商品`,
  confirm: (n) => (n === 0 ? '确认关联' : `确认 ${grouped(n)} 个关联`),
  confirmed: (n) => `已确认 ${grouped(n)} 个关联`,
  count: (n) => `${grouped(n)} 个商品`,
  note: '确认后就按这个商品下单，请先核对规格和包装。',
}

export const LINKS = { en, zh }
