import { describe, expect, test } from 'vitest'
import { type Tool, type ToolCall, TOOLS } from '../../contract/tools.ts'
import { cutAnswer } from './answer.ts'
import { isShortEnough } from './fields.ts'

const toolOf = (name: string): Tool => TOOLS.find((tool) => tool.name === name)!
const CALL: ToolCall = { params: {}, query: {}, body: undefined }

const shorten: typeof cutAnswer = (text, ...more) =>
  isShortEnough(text) ? Promise.resolve({ text }) : cutAnswer(text, ...more)

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
      const { text } = await shorten(await read(CALL), toolOf('vending_list_runs'), CALL, read)
      expect(isShortEnough(text)).toBe(true)
      const { runs, pagination } = JSON.parse(text) as Page
      seen.push(...runs.map(({ id }) => id))
      if (pagination.cursor === undefined) break
      from = Number(pagination.cursor)
    }
    expect(seen).toEqual(lines.map((_, n) => `run-${n}`))
  })

  test('entries that are too long have their own lists shortened, and the answer says which', async () => {
    const read = runsReader([300, 1, 200])
    const { text, cuts, advice } = await shorten(await read(CALL), toolOf('vending_list_runs'), CALL, read)
    const { runs } = JSON.parse(text) as Page
    expect(runs.map(({ id }) => id)).toEqual(['run-0', 'run-1', 'run-2'])
    const kept = runs[0]?.line_items.length ?? 0
    expect(kept).toBeGreaterThan(50)
    expect(runs.map(({ line_items: lines }) => lines.length)).toEqual([kept, 1, kept])
    expect(cuts).toEqual([{ member: 'runs[].line_items', kept, total: 300 }])
    expect(advice).toBe('Name the members you need in fields, or read a smaller part.')
  })

  test('of several long lists each keeps its first entries, and short ones stay whole', async () => {
    const entries = (count: number) => Array.from({ length: count }, (_, n) => ({ n, text: 'y'.repeat(400) }))
    const body = {
      ucp: {},
      id: 'r',
      line_items: entries(400),
      totals: [1, 2],
      fulfillment: { expectations: entries(200) },
    }
    const { text, cuts = [] } = await shorten(JSON.stringify(body), toolOf('vending_get_run'), CALL, async () => {
      throw new Error('has no pages')
    })
    expect(isShortEnough(text)).toBe(true)
    expect(cuts.map(({ member, total }) => [member, total])).toEqual([
      ['line_items', 400],
      ['fulfillment.expectations', 200],
    ])
    const cut = JSON.parse(text) as { line_items: unknown[]; totals: unknown[] }
    expect(cut.line_items.length).toBeGreaterThan(50)
    expect(cut.totals).toEqual([1, 2])
  })

  test('a Chinese character counts as three letters, because it is a token or more', () => {
    expect(isShortEnough('x'.repeat(60_000))).toBe(true)
    expect(isShortEnough('茶'.repeat(20_000))).toBe(true)
    expect(isShortEnough('茶'.repeat(20_001))).toBe(false)
  })

  test('messages are left out only where nothing else helps', async () => {
    const messages = Array.from({ length: 30 }, (_, n) => ({ code: `c${n}`, content: 'z'.repeat(300) }))
    const plans = Array.from({ length: 30 }, () => ({ text: 'y'.repeat(4000) }))
    const { text } = await shorten(
      JSON.stringify({ messages, plans }),
      toolOf('vending_get_trips'),
      CALL,
      async () => '',
    )
    expect((JSON.parse(text) as { messages: unknown[] }).messages).toHaveLength(30)
    const many = { messages: Array.from({ length: 300 }, () => messages[0]), plans: [] }
    const left = await shorten(JSON.stringify(many), toolOf('vending_get_trips'), CALL, async () => '')
    expect(isShortEnough(left.text)).toBe(true)
    expect(left.cuts).toMatchObject([{ member: 'messages', total: 300 }])
  })
})
