/** Texts of the page on which a price is changed on several machines. */
import { grouped, plural } from '../../lib/text/plural.ts'

const en = {
  lead: 'Change the price of a product on several machines. You see the effect before anything changes.',
  chooseProduct: 'Choose a product',
  how: 'New price',
  kinds: { set: 'Set to', raise: 'Raise by', lower: 'Lower by' },
  next: 'New',
  effect: 'Effect',
  choose: (machine: string) => `Change the price in ${machine}`,
  preview: 'Show the effect',
  previewing: 'Checking…',
  apply: (n: number) => `Change ${plural(n, 'price')}`,
  applying: (done: number, n: number) => `${grouped(done)} of ${grouped(n)} changed…`,
  states: {
    same: 'no change',
    allowed: 'allowed',
    approval: 'needs approval',
    refused: 'refused',
    done: 'changed',
    asked: 'waiting for approval',
    failed: 'failed',
  },
  review: 'Review',
  summary: (allowed: number, approval: number) =>
    `${plural(allowed, 'price')} can be changed now${approval > 0 ? `, ${grouped(approval)} ${approval === 1 ? 'needs' : 'need'} approval` : ''}.`,
  revenue: (amount: string) => `At today’s pace: ${amount} a day.`,
  none: 'Choose a product and a price.',
  done: (done: number, asked: number) =>
    `${plural(done, 'price')} changed${asked > 0 ? `, ${grouped(asked)} waiting for approval` : ''}`,
  tooLow: 'The price must be above zero.',
}

const zh: typeof en = {
  lead: '在多台机器上修改一个商品的价格。改价之前先看效果。',
  chooseProduct: '选择商品',
  how: '新价格',
  kinds: { set: '设为', raise: '上调', lower: '下调' },
  next: '新价',
  effect: '效果',
  choose: (machine) => `修改 ${machine} 的价格`,
  preview: '查看效果',
  previewing: '正在检查…',
  apply: (n) => `修改 ${grouped(n)} 个价格`,
  applying: (done, n) => `已修改 ${grouped(done)}/${grouped(n)}…`,
  states: {
    same: '不变',
    allowed: '可直接修改',
    approval: '需要审批',
    refused: '被拒绝',
    done: '已修改',
    asked: '等待审批',
    failed: '失败',
  },
  review: '查看',
  summary: (allowed, approval) =>
    `${grouped(allowed)} 个价格可直接修改${approval > 0 ? `，${grouped(approval)} 个需要审批` : ''}。`,
  revenue: (amount) => `按目前销量：每天 ${amount}。`,
  none: '请选择商品和价格。',
  done: (done, asked) => `已修改 ${grouped(done)} 个价格${asked > 0 ? `，${grouped(asked)} 个等待审批` : ''}`,
  tooLow: '价格必须大于零。',
}

export const PRICES = { en, zh }
