/** A supplier with a few products and sites, and the requests that buy from it. */
import { fen } from '../../src/kernel/fen.ts'
import { supplyProduct, scriptedSupply } from '../support/scripted-vendors.ts'
import { startService } from '../support/service.ts'
import type { Answered, Json, Service, ServiceOptions } from '../support/service.ts'

/** Derived each price; a box of 24; ¥28.80 a box, ¥1.20 each. */
export const WATER = 'acme-supply:SP1001'
/** Sold singly, each at ¥3.10. */
export const CRISPS = 'acme-supply:SP2002'
/** Its own each price: a box of 6 at ¥30, each ¥5.50. */
export const TEA = 'acme-supply:SP3003'
export const CIGARETTES = 'acme-supply:SP9001'
export const FORBIDDEN = 'acme-supply:SP9009'
export const OFF_SHELF = 'acme-supply:SP4004'

export const supplier = () =>
  scriptedSupply(
    [
      supplyProduct('SP1001', { title: '农夫山泉 饮用天然水 550ml', brand: '农夫山泉', category: '水' }),
      supplyProduct('SP2002', {
        title: '乐事 薯片',
        packSize: 1,
        packPriceFen: fen(310),
        eachPriceFen: fen(310),
        eachPriceDerived: false,
        stock: 40,
      }),
      supplyProduct('SP3003', {
        title: 'Tea',
        packSize: 6,
        packPriceFen: fen(3000),
        eachPriceFen: fen(550),
        eachPriceDerived: false,
        stock: 60,
      }),
      supplyProduct('SP9001', { title: '香烟', category: '烟草' }),
      supplyProduct('SP9009', { title: 'Forbidden by its id' }),
      supplyProduct('SP4004', { title: 'Off the shelf', isForSale: false }),
    ],
    [{ id: 'S01', name: '浦东自提仓', address: '上海市浦东新区川沙路 1200 号' }, { id: 'S02' }],
  )

export const ADDRESS = {
  street_address: '世纪大道 100 号',
  address_locality: '上海市',
  first_name: '伟',
  last_name: '王',
  phone_number: '13800000000',
}
export const SHIPPING = { methods: [{ type: 'shipping', destinations: [ADDRESS] }] }

export const line = (id: string, quantity = 1, unit?: 'EA' | 'BX') => ({
  item: { id },
  quantity,
  ...(unit ? { quantity_unit: { unit } } : {}),
})

export const start = (options: ServiceOptions = {}) => startService({ supply: supplier(), ...options })

export const create = (service: Service, more: object = {}, headers: Record<string, string> = {}): Promise<Answered> =>
  service.post(
    '/checkout-sessions',
    { line_items: [line(WATER, 2, 'BX')], fulfillment: SHIPPING, ...more },
    { headers },
  )

/** A session that only has to be completed. */
export async function ready(service: Service, more: object = {}): Promise<string> {
  const { body } = await create(service, more)
  if (body.status !== 'ready_for_complete') throw new Error(`${body.status}: ${JSON.stringify(body.messages)}`)
  return body.id as string
}

/** Two boxes are ¥57.60; ten are above the limit of ¥500 only with more: twenty are ¥576. */
export const DEAR = { line_items: [line(WATER, 20, 'BX')] }

export const complete = (service: Service, id: string, body: unknown = { confirm: true }, headers = {}) =>
  service.post(`/checkout-sessions/${id}/complete`, body, { headers })

export const get = async (service: Service, id: string): Promise<Json> =>
  (await service.get(`/checkout-sessions/${id}`)).body

export const codes = (answer: Json): string[] =>
  ((answer.body ?? answer).messages ?? []).map((message: Json) => message.code)

export const checkoutEvents = async (service: Service): Promise<string[]> =>
  (await service.events('checkout')).map(({ summary }) => summary as string)
