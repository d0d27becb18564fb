/** Texts of the search across everything. */

const en = {
  placeholder: 'Machines, products, suppliers, orders, runs, people…',
  results: 'Results',
  groups: {
    open: 'Open',
    approvals: 'Approvals',
    machines: 'Machines',
    products: 'Products',
    connections: 'Suppliers and machine platforms',
    people: 'People',
    runs: 'Runs',
    orders: 'Orders',
    sessions: 'Draft purchases',
    pages: 'Pages',
  },
  none: (text: string) => `Nothing found for “${text}”`,
  found: (n: number) => (n === 1 ? '1 result' : `${n} results`),
  searching: 'Searching…',
  hint: '↑ ↓ to choose, Enter to open, Esc to close',
}

const zh: typeof en = {
  placeholder: '机器、商品、供应商、订单、补货单、人员…',
  results: '结果',
  groups: {
    open: '打开',
    approvals: '审批',
    machines: '机器',
    products: '商品',
    connections: '供应商与机器平台',
    people: '人员',
    runs: '补货单',
    orders: '订单',
    sessions: '采购草稿',
    pages: '页面',
  },
  none: (text) => `没有找到“${text}”`,
  found: (n) => `${n} 条结果`,
  searching: '正在搜索…',
  hint: '↑ ↓ 选择，回车打开，Esc 关闭',
}

export const SEARCH = { en, zh }
