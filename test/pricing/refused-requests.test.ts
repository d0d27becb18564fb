import { describe, expect, test } from 'vitest'
import { priceRequest, change, COLA, line, MACHINE, startPricing } from './machines.ts'

describe('4.6 a price change that is refused before its handler runs writes one event', () => {
  test.each([
    ['without confirm', { prices: [line(COLA, 260)] }, 'confirmation_required'],
    ['confirm as text', { ...priceRequest(line(COLA, 260)), confirm: 'true' }, 'confirmation_required'],
    ['no lines', { prices: [], confirm: true }, 'invalid'],
    ['no JSON', '{', 'invalid'],
  ])('%s', async (_, body, code) => {
    const service = await startPricing()
    expect((await service.put(`/locations/${MACHINE}/prices`, body)).status).toBe(400)
    expect(await service.events('price_change')).toMatchObject([
      { code: 'price_change_refused', params: { reason: code, machine: 'Hall' }, location: MACHINE },
    ])
  })

  test('repeated within a minute: one event each', async () => {
    const service = await startPricing()
    for (const confirm of [undefined, 'true', 'true'])
      await service.put(`/locations/${MACHINE}/prices`, { prices: [line(COLA, 260)], confirm })
    expect((await service.events('price_change')).map(({ params }) => params.reason)).toHaveLength(3)
  })

  test('a replay by Idempotency-Key writes none', async () => {
    const service = await startPricing()
    for (let n = 0; n < 2; n++) await change(service, { prices: [], confirm: true }, { key: 'k' })
    expect((await service.events('price_change')).map(({ summary }) => summary)).toEqual([
      `Hall (${MACHINE}): price change refused: invalid`,
    ])
  })
})
