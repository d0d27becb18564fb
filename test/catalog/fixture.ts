/** A supplier with a few products and one machine, for the catalog tests. */
import { fen } from '../../src/kernel/fen.ts'
import { supplyProduct, machineSlot, scriptedMachine, scriptedSupply, trade } from '../support/scripted-vendors.ts'
import { NOW, startService } from '../support/service.ts'
import type { Json, ServiceOptions } from '../support/service.ts'

export const WATER_CODE = '6921168509256'

const products = () => [
  supplyProduct('SP1001', {
    title: '农夫山泉 饮用天然水 550ml',
    brand: '农夫山泉',
    spec: '550ml*24',
    category: '水',
    barcode: WATER_CODE,
    imageUrl: 'https://img.example/sp1001.jpg',
    stock: 1200,
  }),
  supplyProduct('SP2002', {
    title: '乐事 薯片 原味 40g',
    brand: '乐事',
    category: '零食',
    packSize: 1,
    packPriceFen: fen(310),
    eachPriceFen: fen(310),
    eachPriceDerived: false,
    stock: 0,
  }),
  supplyProduct('SP3003', {
    title: 'Red Bull Energy 250ml',
    category: '功能饮料',
    packPriceFen: fen(10_000),
    eachPriceFen: fen(417),
  }),
  supplyProduct('SP4004', { title: '脉动 维生素饮料 600ml', category: '功能饮料', isForSale: false }),
]

const slots = () => [
  machineSlot('G-0001', {
    title: '农夫山泉 饮用天然水 550ml',
    barcode: WATER_CODE,
    imageUrl: 'https://img.example/g1.jpg',
  }),
  machineSlot('G-0002', { title: '乐事薯片(美国经典原味)40g', priceFen: fen(550), stock: 0 }),
]

export const SITES = [{ id: 'S01', name: '浦东自提仓', address: '上海市浦东新区' }]

/** The machine M1001 sold something, so it exists; M404 never did. */
export const startCatalog = (options: ServiceOptions = {}) =>
  startService({
    supply: scriptedSupply(products(), SITES),
    machine: scriptedMachine({ M1001: slots() }, [trade('T1', NOW - 60_000)]),
    ...options,
  })

export const ids = (answer: { readonly body: Json }): string[] =>
  answer.body.products.map((product: Json) => product.id)

export const codesOf = (answer: { readonly body: Json }): string[] =>
  (answer.body.messages ?? []).map((message: Json) => message.code)

export const problem = (answer: { readonly status: number; readonly body: Json }) => {
  const [first] = answer.body.messages
  return { status: answer.status, code: first?.code, path: first?.path }
}
