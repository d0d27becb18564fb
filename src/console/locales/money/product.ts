/** Texts of the page of a product: where it is, and what of it was bought. */
import { grouped, plural } from '../../lib/text/plural.ts'

const en = {
  stock: 'Where it is',
  capacity: 'Capacity',
  unknown: 'not counted',
  noMachine: 'No machine holds it.',
  storeroom: 'Store room',
  inStoreroom: (units: number, free: number) => `${plural(units, 'unit')}, ${grouped(free)} free`,
  purchases: 'Last deliveries',
  noPurchase: 'None of it has come in yet.',
  arrived: 'Arrived',
  product: 'Product',
  units: 'Units',
}

const zh: typeof en = {
  stock: '库存分布',
  capacity: '容量',
  unknown: '未盘点',
  noMachine: '没有机器在售。',
  storeroom: '仓库',
  inStoreroom: (units, free) => `${grouped(units)} 件，其中可用 ${grouped(free)} 件`,
  purchases: '最近到货',
  noPurchase: '还没有到货记录。',
  arrived: '到货时间',
  product: '商品',
  units: '件数',
}

export const PRODUCT = { en, zh }
