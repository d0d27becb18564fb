import { afterEach, describe, expect, test } from 'vitest'
import type { Approval } from '../../../contract/shapes/approval.ts'
import type { Event } from '../../../contract/shapes/event.ts'
import { reasonZh } from '../../../texts/reasons-zh.ts'
import { setLanguage } from './i18n.ts'
import { fillFirst } from '../../../texts/fill-sentence.ts'
import { approvalText, eventText, messageLine, messageText, optionLabel } from './service-text.ts'
import { type Values, valueText } from './value-text.ts'

const cny = (amount: number) => ({ amount, currency: 'CNY' as const })

const event = (code: string | undefined, params: Event['params'] = {}, over: Partial<Event> = {}): Event => ({
  id: 'evt-1',
  occurred_at: '2026-09-10T08:00:00+08:00',
  kind: 'price_change',
  summary: 'The service’s summary',
  reasoning: 'The service’s reasoning',
  ...(code === undefined ? {} : { code }),
  params,
  source: 'service',
  ...over,
})

const approval = (over: Partial<Approval>): Approval => ({
  id: 'dec-1',
  kind: 'restock_plan',
  at: '2026-09-10T08:00:00+08:00',
  summary: 'The service’s summary',
  reasoning: 'The service’s reasoning',
  subject: { type: 'checkout', id: 'po_20260910_1' },
  status: 'pending',
  approved: null,
  ...over,
})

const nameOf = (id: string) => (id === 'M1003' ? '力健健身房' : id)

afterEach(() => setLanguage('en'))

describe('sentences', () => {
  const fillSentence = (sentence: string, values: Values) => fillFirst([sentence], values, valueText)

  test('values are formatted: money, counts with their unit, timestamps', () => {
    expect(fillSentence('{total} for {slots:slot}', { total: cny(80320), slots: 1 })).toBe('¥803.20 for 1 slot')
    expect(fillSentence('{boxes:box|boxes}', { boxes: 1200 })).toBe('1,200 boxes')
    expect(fillSentence('until {until}', { until: '2026-09-10T23:30:00+08:00' })).toBe('until 10 Sept 2026, 23:30')
  })

  test('names of machines are listed as each language does', () => {
    const message = { code: 'not_due', content: '', params: { machines: '一号楼, 健身房' } } as const
    setLanguage('zh')
    expect(messageLine(message)).toContain('一号楼、健身房')
    setLanguage('en')
    expect(messageLine(message)).toContain('一号楼, 健身房')
  })

  test('a part in brackets is left out without its value; any other missing value leaves no sentence', () => {
    expect(fillSentence('Run {run}[ for {total}] created', { run: 'run-1' })).toBe('Run run-1 created')
    expect(fillSentence('Run {run}', {})).toBeUndefined()
    expect(fillSentence('Run {run}', { run: '[{total}]' })).toBe('Run [{total}]')
    expect(fillSentence('{constructor}', {})).toBeUndefined()
    expect(fillSentence('{items:item}[ ({refunded} refunded)]', { items: 2, refunded: 0 })).toBe('2 items')
  })
})

describe('messages', () => {
  const rejected = { code: 'hard_no_go', content: 'service text', params: { product: '可乐' } }

  test('are written from code and values, with the service’s text as detail', () => {
    expect(messageText(rejected)).toEqual({
      title: 'Blocked product',
      text: '可乐 is on the owner’s list of blocked products.',
      detail: 'service text',
    })
    setLanguage('zh')
    expect(messageText(rejected)).toMatchObject({ title: '禁购商品', text: '可乐 在禁购清单上。' })
  })

  test('without values: the service’s text in English, the title with the text folded away in Chinese', () => {
    const message = { code: 'hard_no_go', content: 'service text' }
    expect(messageText(message)).toEqual({ title: 'Blocked product', text: 'service text' })
    setLanguage('zh')
    expect(messageText(message)).toEqual({ title: '禁购商品', text: undefined, detail: 'service text' })
    expect(messageLine(message)).toBe('禁购商品')
  })

  test('an unknown code shows the service’s text', () => {
    for (const code of ['brand_new', 'constructor', '__proto__']) {
      setLanguage('zh')
      expect(messageText({ code, content: 'service text' })).toEqual({ title: undefined, text: 'service text' })
    }
  })

  test('a missing field is named by its path', () => {
    const message = {
      code: 'missing',
      content: 'phone_number is required',
      path: '$.fulfillment.methods[0].destinations[0].phone_number',
    }
    expect(messageLine(message)).toBe('Phone is required.')
    setLanguage('zh')
    expect(messageLine(message)).toBe('请填写电话。')
  })
})

describe('events', () => {
  const changed = event('price_changed', { machine: 'M1003', product: '可乐', from: cny(300), to: cny(900) })

  test('a sale states the name of its machine, which is not an id to look up', () => {
    const sold = event(
      'sale_recorded',
      { machine: '力健健身房', product: '可乐', total: cny(300) },
      { location: 'M1003' },
    )
    expect(eventText(sold, (id) => `Machine ${id}`).text).toContain('Sold at 力健健身房')
    const unpaid = event('sale_recorded', { machine: '力健健身房', product: '可乐', unpaid: 1, total: cny(300) })
    expect(eventText(unpaid, nameOf).text).toBe('Not paid at 力健健身房: 1 unit, ¥3.00')
  })

  test('name the machine and the product, never their ids', () => {
    expect(eventText(changed, nameOf)).toEqual({
      text: '力健健身房: 可乐, ¥3.00 → ¥9.00',
      detail: 'The service’s reasoning',
    })
    setLanguage('zh')
    expect(eventText(changed, nameOf).text).toBe('力健健身房：可乐 由 ¥3.00 改为 ¥9.00')
    expect(eventText(event('price_changed', { count: 3 }, { location: 'M1003' }), nameOf).text).toBe(
      '力健健身房：已修改 3 个价格',
    )
    expect(eventText(event('machine_removed', { machine: 'M9', machine_name: '旧机器' }), nameOf).text).toBe(
      '旧机器 已移除',
    )
  })

  test('without code or values the service’s summary is shown, and a caller’s event always as it was written', () => {
    for (const one of [
      event(undefined),
      event('brand_new'),
      event('run_created'),
      event('sync_completed', {}, { source: 'caller' }),
    ])
      expect(eventText(one, nameOf)).toEqual({ text: 'The service’s summary', detail: 'The service’s reasoning' })
  })

  test('a change of several prices names the first and counts the others', () => {
    const params = { machine: '力健健身房', product: '可乐', previous: cny(300), price: cny(900), lines: 3 }
    expect(eventText(event('price_change_waiting', params), nameOf).text).toBe(
      '力健健身房: 可乐, ¥3.00 → ¥9.00 and 2 more, waiting for approval',
    )
    setLanguage('zh')
    expect(eventText(event('price_changed', { ...params, lines: 1 }), nameOf).text).toBe(
      '力健健身房：可乐 由 ¥3.00 改为 ¥9.00',
    )
  })

  test('a reason that is only known in English is left out of a Chinese sentence', () => {
    const failed = event('sync_failed', { reason: 'connect ECONNREFUSED' })
    expect(eventText(failed, nameOf).text).toBe('Stock and sales could not be read: connect ECONNREFUSED')
    setLanguage('zh')
    expect(eventText(failed, nameOf).text).toBe('同步失败')
  })

  test('a refusal names its reason in the reader’s language', () => {
    const refused = event('price_change_refused', { machine: 'M1003', reason: 'kill_switch_engaged' })
    expect(eventText(refused, nameOf).text).toBe('力健健身房: price change refused: Emergency stop is on')
    setLanguage('zh')
    expect(eventText(refused, nameOf).text).toBe('力健健身房：改价被拒绝：紧急停止已启用')
  })

  test('an emergency stop shows the reason its operator typed', () => {
    const pulled = event('emergency_stop_engaged', { by: 'operator' }, { kind: 'guardrail', reasoning: '价格不对' })
    setLanguage('zh')
    expect(eventText(pulled, nameOf)).toEqual({ text: '运营人员启用了紧急停止：价格不对', detail: undefined })
  })
})

describe('approvals', () => {
  test('say what is asked and which rule asks', () => {
    const over = approval({ code: 'spending_limit', params: { total: cny(80320), limit: cny(50000) } })
    expect(approvalText(over)).toEqual({
      summary: 'Purchase po_20260910_1 for ¥803.20',
      reasons: ['¥803.20 exceeds the ¥500.00 limit per purchase, so it needs approval.'],
    })
    setLanguage('zh')
    expect(approvalText(over)).toEqual({
      summary: '采购单 po_20260910_1，金额 ¥803.20',
      reasons: ['¥803.20 超过单笔 ¥500.00 的上限，需要审批。'],
    })
  })

  test('a swap is asked about, and its end told, in the reader’s language', () => {
    const products = { machine: 'M1003', name: '力健健身房', product: '可乐', other_product: '茶' }
    const swap = approval({
      kind: 'swap',
      subject: { type: 'slot', id: 'M1003-G-1' },
      code: 'swap_proposed',
      params: { ...products, gain: cny(2299) },
    })
    const ended = (status: string) =>
      eventText(event('swap_ended', { ...products, status }, { kind: 'replenishment' }), nameOf).text
    expect(approvalText(swap).reasons).toEqual([
      '茶 instead of 可乐 in 力健健身房 is expected to earn ¥22.99 more a week.',
    ])
    expect(ended('done')).toBe('茶 instead of 可乐 in 力健健身房: done')
    setLanguage('zh')
    expect(approvalText(swap).summary).toMatch(/[一-鿿]/)
    expect(approvalText(swap).reasons).toEqual(['力健健身房 把 可乐 换成 茶，预计每周多赚 ¥22.99。'])
    expect(['done', 'canceled'].map(ended)).toEqual([
      '力健健身房 把 可乐 换成 茶：已完成',
      '力健健身房 把 可乐 换成 茶：已取消',
    ])
  })

  test('a price change without its prices keeps the service’s summary in English', () => {
    const change = approval({ kind: 'price_change', subject: { type: 'price_change', id: 'pc-1' } })
    expect(approvalText(change)).toEqual({ summary: 'The service’s summary', reasons: [] })
    setLanguage('zh')
    expect(approvalText(change).summary).toBe('改价')
  })
})

describe('a reason without a code', () => {
  test.each([
    ['its pack size cannot be read', '箱规无法读取'],
    ['its lane is listed with other contents as well', '同一货道还登记了其他商品'],
    ['it is in USD, not in CNY', '币种是 USD，应为 CNY'],
    ['The newest file was refused: its checksum is wrong', '最新的文件被拒绝：校验和错误'],
    ['Row 3: what does “short” mean?', '第 3 行：“short”是什么意思？'],
    [
      'Which column is the confirmed quantity: “A” or “B”? Say which in the settings on the server: {"a":1}',
      '哪一列是确认数量：“A”还是“B”？请在服务器的设置中选择写明：{"a":1}',
    ],
    ['Coin jam', undefined],
  ])('%s', (text, chinese) => expect(reasonZh(text)).toBe(chinese))
})

describe('questions of the service itself', () => {
  const params = { question: 'unlinked_products', count: 2, products: '可乐, 雪碧' }
  const asked = approval({ kind: 'note', subject: { type: 'note', id: 'dec-1' }, params })

  test('are read in the language of the reader, with their options', () => {
    expect(approvalText(asked)).toEqual({
      summary: 'No supplier is known for 2 products in machines, so they can’t be ordered. Will you link them?',
      reasons: ['Not linked to a product of a supplier: 可乐, 雪碧.'],
    })
    setLanguage('zh')
    expect(approvalText(asked)).toEqual({
      summary: '机器中有 2 种商品没有对应的供应商，无法订货。要关联吗？',
      reasons: ['尚未关联供应商商品：可乐, 雪碧。'],
    })
    expect(optionLabel(asked, 'Leave them out')).toBe('不用处理')
    expect(optionLabel(asked, 'Something else')).toBe('Something else')
  })

  test('stay known when nobody answered in time', () => {
    setLanguage('zh')
    expect(approvalText({ ...asked, code: 'expired' }).reasons).toEqual([
      '尚未关联供应商商品：可乐, 雪碧。',
      '逾期未答复。',
    ])
  })

  test('are in the events about them, with the answer', () => {
    setLanguage('zh')
    const values = { ...params, summary: 'English', answer: 'I will link them', by: 'ann' }
    expect(eventText(event('question_answered', values), nameOf).text).toBe(
      'ann答复“我来关联”：机器中有 2 种商品没有对应的供应商，无法订货。要关联吗？',
    )
  })

  test('without a value they are shown as they were sent', () => {
    const { count: _count, ...less } = params
    expect(approvalText({ ...asked, params: less }).summary).toBe('The service’s summary')
  })
})
