import { describe, expect, test } from 'vitest'
import { TOOLS } from '../contract/tools.ts'
import type { Tool, ToolCall } from '../contract/tools.ts'
import { fitAnswer } from './mcp-answer.ts'

const MAX = 60_000
const toolOf = (name: string): Tool => TOOLS.find((tool) => tool.name === name)!
const CALL: ToolCall = { params: {}, query: {}, body: undefined }

/** Pages of runs, each with this many lines of 500 characters; the cursor is the number of the next run. */
const runsReader =
  (lines: readonly number[], from = 0) =>
  async ({ query }: ToolCall): Promise<string> => {
    const to = from + Number(query['limit'] ?? 20)
    const runs = lines.slice(from, to).map((length, n) => ({
      id: `run-${from + n}`,
      line_items: Array.from({ length }, (_, line) => ({ id: `${line}`, text: 'x'.repeat(480) })),
    }))
    const has_next_page = to < lines.length
    return JSON.stringify({
      ucp: {},
      runs,
      pagination: { has_next_page, ...(has_next_page ? { cursor: `${to}` } : {}) },
    })
  }

interface Page {
  readonly runs: readonly { readonly id: string; readonly line_items: readonly unknown[] }[]
  readonly pagination: { readonly cursor?: string }
}

describe('an answer that is too long', () => {
  test('every run is shown once, however long its lines are', async () => {
    const lines = [3, 300, 2, 2, 150, 90, 1, 400]
    const seen: string[] = []
    for (let from = 0; ;) {
      const read = runsReader(lines, from)
      const { text } = await fitAnswer(await read(CALL), toolOf('vending_list_runs'), CALL, read)
      expect(text.length).toBeLessThanOrEqual(MAX)
      const { runs, pagination } = JSON.parse(text) as Page
      seen.push(...runs.map(({ id }) => id))
      if (pagination.cursor === undefined) break
      from = Number(pagination.cursor)
    }
    expect(seen).toEqual(lines.map((_, n) => `run-${n}`))
  })

  test('one entry that is too long has its own lists shortened, and says which', async () => {
    const read = runsReader([300, 1])
    const { text, cuts, advice } = await fitAnswer(await read(CALL), toolOf('vending_list_runs'), CALL, read)
    const { runs, pagination } = JSON.parse(text) as Page
    expect(runs).toHaveLength(1)
    expect(pagination.cursor).toBe('1')
    const kept = runs[0]?.line_items.length ?? 0
    expect(kept).toBeGreaterThan(100)
    expect(cuts).toEqual([
      { member: 'runs', kept: 1, total: 2 },
      { member: 'runs[0].line_items', kept, total: 300 },
    ])
    expect(advice).toBe(
      'The cursor leads to the next ones. Name the members you need in fields, or read a smaller part.',
    )
  })

  test('an answer without pages is shortened where it is longest, inside a member too', async () => {
    const entries = (count: number) => Array.from({ length: count }, (_, n) => ({ n, text: 'y'.repeat(400) }))
    const body = { ucp: {}, id: 'r', line_items: entries(60), fulfillment: { expectations: entries(200) } }
    const { text, cuts = [] } = await fitAnswer(JSON.stringify(body), toolOf('vending_get_run'), CALL, async () => {
      throw new Error('has no pages')
    })
    expect(text.length).toBeLessThanOrEqual(MAX)
    expect(cuts.map(({ member, total }) => [member, total])).toEqual([['fulfillment.expectations', 200]])
    expect((JSON.parse(text) as { line_items: unknown[] }).line_items).toHaveLength(60)
  })

  test('messages are never left out', async () => {
    const messages = Array.from({ length: 30 }, (_, n) => ({ code: `c${n}`, content: 'z'.repeat(300) }))
    const plans = Array.from({ length: 30 }, () => ({ text: 'y'.repeat(4000) }))
    const { text } = await fitAnswer(
      JSON.stringify({ messages, plans }),
      toolOf('vending_get_trips'),
      CALL,
      async () => '',
    )
    expect((JSON.parse(text) as { messages: unknown[] }).messages).toHaveLength(30)
  })
})
