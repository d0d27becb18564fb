/** The database remembers its currency: amounts are never read in another one, and never converted. */
import { expect, onTestFinished, test } from 'vitest'
import { claimCurrency } from '../../src/store/claim-currency.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { databaseUrl } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { readConfig } from '../../src/config.ts'
import { serve } from '../../src/main.ts'

async function opened(url: string): Promise<Store> {
  const store = await openStore(url)
  onTestFinished(() => store.close())
  return store
}

test('the first start decides, also among several at once; every later one with another currency is refused', async () => {
  const url = await databaseUrl()
  const store = await opened(url)
  const claims = await Promise.allSettled(['USD', 'EUR'].map((currency) => claimCurrency(store, currency)))
  expect(claims.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const [own, other] = claims[0]?.status === 'fulfilled' ? ['USD', 'EUR'] : ['EUR', 'USD']
  const later = await opened(url)
  await claimCurrency(later, own)
  await expect(claimCurrency(later, other)).rejects.toThrow(
    `The amounts in this database are in ${own}, but CURRENCY is ${other}. Amounts are never converted: set CURRENCY=${own}, or use a new database for ${other}.`,
  )
})

test('the service does not start on a database with amounts in another currency', async () => {
  const url = await databaseUrl()
  const port = await freePort()
  const start = (CURRENCY: string) => {
    const env = {
      CURRENCY,
      PORT: String(port),
      DATABASE_URL: url,
      OPERATOR_TOKEN: 'a-token-of-16-chars',
      LOG_LEVEL: 'silent',
      VENDOPS_CLOCK: '2026-09-10T08:00:00+08:00',
    }
    const read = readConfig(env, () => false)
    if (!read.ok) throw new Error(read.problems.join('; '))
    return serve(read.config, [])
  }
  const running = await start('USD')
  // The simulated world sells numbers: they are cents here.
  const answer = await fetch(`http://127.0.0.1:${port}/ucp/v1/catalog/search`, {
    method: 'POST',
    headers: { authorization: 'Bearer a-token-of-16-chars', 'content-type': 'application/json' },
    body: '{}',
  })
  const { products } = (await answer.json()) as { products: { price_range: { min: { currency: string } } }[] }
  expect(new Set(products.map(({ price_range }) => price_range.min.currency))).toEqual(new Set(['USD']))
  await running.stop()
  await expect(start('CNY')).rejects.toThrow('are in USD, but CURRENCY is CNY')
  await (await start('USD')).stop()
})
