/** What a caller hears of a vendor that does not answer, and of a mistake: when to come back, and each mistake once. */
import { expect, test } from 'vitest'
import { failure } from '../support/scripted-vendors.ts'
import { startService } from '../support/service.ts'

test('a 502 of a read says when to try again', async () => {
  const service = await startService()
  service.supply.script.always('catalog', failure('unknown', 'no answer'))
  const { status, headers } = await service.post('/catalog/search', { filters: { namespace: 'acme-supply' } })
  expect([status, headers['retry-after']]).toEqual([502, '5'])
})

test('an id that is none is one mistake', async () => {
  const service = await startService()
  const answer = await service.post('/locations/search', { filters: { items: [{ id: 'junk' }] } })
  expect([answer.status, answer.body.messages.map(({ path }: { path: string }) => path)]).toEqual([
    400,
    ['$.filters.items[0].id'],
  ])
})
