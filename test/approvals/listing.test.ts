/** GET /approvals and GET /replenishment/runs give everything that matches; pages only to callers that ask for them. */
import { describe, expect, test } from 'vitest'
import { incrementRunsVersion, insertRun } from '../../src/acts/replenishment/runs/records.ts'
import { startService, TOKEN } from '../support/service.ts'
import type { Json, Service } from '../support/service.ts'
import { insertDecisions } from './decisions.ts'

const idsOf = (entries: Json[]): string[] => entries.map(({ id }) => id)

async function runs(service: Service, count: number, status: 'approved' | 'pending_approval'): Promise<string[]> {
  const ids: string[] = []
  await service.ctx.store.transaction(async (tx) => {
    for (let n = 0; n < count; n += 1) {
      await incrementRunsVersion(tx)
      const draft = { status, strategyVersion: 't', stops: [], checkouts: [], messages: [], lines: [] } as const
      ids.push((await insertRun(tx, { createdAt: service.clock.now() + n, ...draft })).id)
    }
  })
  return ids
}

async function walk(service: Service, path: string, member: string): Promise<{ ids: string[]; sizes: number[] }> {
  const ids: string[] = []
  const sizes: number[] = []
  for (let cursor = ''; ;) {
    const { body } = await service.get(`${path}${cursor && `&cursor=${cursor}`}`)
    ids.push(...idsOf(body[member]))
    sizes.push(body[member].length)
    if (!body.pagination.has_next_page) return { ids, sizes }
    cursor = body.pagination.cursor
  }
}

describe('4.8 GET /approvals', () => {
  test('all that wait, oldest first, without pages', async () => {
    const service = await startService()
    const opened = await insertDecisions(service, 45)
    const { body } = await service.get('/approvals')
    expect(idsOf(body.approvals)).toEqual(opened)
    expect(body).not.toHaveProperty('pagination')
  })

  test('other states newest first, however many', async () => {
    const service = await startService()
    const taken = await insertDecisions(service, 1234, 'approved')
    const waiting = await insertDecisions(service, 3)
    expect(idsOf((await service.get('/approvals?status=approved')).body.approvals)).toEqual(taken.toReversed())
    const all = (await service.get('/approvals?status=all')).body
    expect(idsOf(all.approvals)).toEqual([...taken, ...waiting].toReversed())
    expect(all).not.toHaveProperty('pagination')
  })

  test.each(['pending', 'approved', 'all'])('pages of %s when a limit is sent', async (status) => {
    const service = await startService()
    const waiting = await insertDecisions(service, 25)
    const taken = await insertDecisions(service, 25, 'approved')
    const expected = {
      pending: waiting,
      approved: taken.toReversed(),
      all: [...waiting, ...taken].toReversed(),
    }[status]
    const { ids, sizes } = await walk(service, `/approvals?status=${status}&limit=10`, 'approvals')
    expect(ids).toEqual(expected)
    expect(Math.max(...sizes)).toBe(10)
  })

  test('a cursor without a limit gives pages of 20', async () => {
    const service = await startService()
    const opened = await insertDecisions(service, 45)
    const { cursor } = (await service.get('/approvals?limit=5')).body.pagination
    const { body } = await service.get(`/approvals?cursor=${cursor}`)
    expect(idsOf(body.approvals)).toEqual(opened.slice(5, 25))
    expect(body.pagination.has_next_page).toBe(true)
  })
})

describe('4.7 GET /replenishment/runs', () => {
  test('all of them, newest first, without pages', async () => {
    const service = await startService()
    const made = await runs(service, 123, 'approved')
    const { body } = await service.get('/replenishment/runs')
    expect(idsOf(body.runs)).toEqual(made.toReversed())
    expect(body).not.toHaveProperty('pagination')
    expect((await service.get('/replenishment/runs?status=placed')).body).toMatchObject({ runs: [] })
  })

  test('those that wait for approval oldest first', async () => {
    const service = await startService()
    const made = await runs(service, 33, 'pending_approval')
    await runs(service, 5, 'approved')
    expect(idsOf((await service.get('/replenishment/runs?status=pending_approval')).body.runs)).toEqual(made)
  })

  test.each(['pending_approval', 'approved'] as const)('pages of %s when a limit is sent', async (status) => {
    const service = await startService()
    const made = await runs(service, 25, status)
    const { ids, sizes } = await walk(service, `/replenishment/runs?status=${status}&limit=10`, 'runs')
    expect(ids).toEqual(status === 'approved' ? made.toReversed() : made)
    expect(sizes).toEqual([10, 10, 5])
  })
})

describe('a list that is sent while it is read', () => {
  test('is cut off when the database fails half-way: no caller takes a part for the whole', async () => {
    const service = await startService()
    await insertDecisions(service, 1200, 'approved')
    const { db } = service.ctx.store
    const selectFrom = db.selectFrom.bind(db)
    let reads = 0
    db.selectFrom = ((table: 'decision') => {
      if (table === 'decision' && (reads += 1) === 2) throw new Error('the database is gone')
      return selectFrom(table)
    }) as never
    const answer = service.server.inject({
      url: '/ucp/v1/approvals?status=all',
      headers: { authorization: `Bearer ${TOKEN}` },
    })
    await expect(answer).rejects.toThrow(/destroyed/)
    expect(reads).toBe(2)
  })
})
