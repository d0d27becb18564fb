/** The job that reads the queues of machine platforms. */
import { expect, test } from 'vitest'
import { MINUTE, SECOND } from '../../src/kernel/clock.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import type { Result } from '../../src/vendors/contract.ts'
import type { MachineVendor } from '../../src/vendors/machine-vendor.ts'
import { registerLive } from '../../src/vendors/registry.ts'
import { fail, succeed } from '../../src/vendors/result.ts'
import { scriptedMachine } from '../support/scripted-vendors.ts'
import { startService } from '../support/service.ts'

test('a queue is read by the job; one that refuses us shows with the connection and is asked once a minute', async () => {
  let [calls, answer]: [number, Result<{ messages: number }>] = [0, succeed({ messages: 2 })]
  const vendor: MachineVendor = {
    ...scriptedMachine({}).vendor,
    receiveMessages: async () => {
      calls += 1
      return answer
    },
  }
  const namespace = 'nayax-machine' as Namespace
  const service = await startService({ entries: [registerLive(namespace, vendor, ['inventory', 'ledger'])] })
  const state = async () => (await service.get('/connections')).body.connections[0]
  await service.job('receive-messages')
  expect([calls, (await state()).state]).toEqual([1, 'ok'])
  answer = fail('unauthorized', 'The queue refuses the access key')
  for (let n = 0; n < 3; n++) {
    service.clock.advance(SECOND)
    await service.job('receive-messages')
  }
  expect(calls).toBe(2)
  expect(await state()).toMatchObject({ state: 'failing', last_failure: { code: 'unauthorized' } })
  answer = succeed({ messages: 0 })
  service.clock.advance(MINUTE)
  await service.job('receive-messages')
  expect([calls, (await state()).state]).toEqual([3, 'ok'])
})
