import { describe, expect, test } from 'vitest'
import { type Findable, findResults } from './find-results.ts'

const ALL: readonly Findable[] = [
  { group: 'pages', text: 'Machines', href: '/machines' },
  { group: 'approvals', text: 'Restock for ¥8', words: 'M1001 M1002', href: '/approvals/dec-1' },
  { group: 'machines', text: 'Gym North', note: 'M1001', words: '上海 南京路', href: '/machines/M1001' },
  { group: 'machines', text: 'North Hall', note: 'M1002', href: '/machines/M1002' },
  { group: 'connections', text: 'acme-supply', note: '供应商 · 正常', href: '/connections' },
  { group: 'products', text: 'Cola 330ml', note: 'acme:SP1', href: '/skus/acme%3ASP1' },
]
const found = (text: string) => findResults(text, ALL).map(({ href }) => href)

describe('search', () => {
  test('without a text the pages are offered', () => {
    expect(found('')).toEqual(['/machines'])
  })

  test('all words must occur, in any field and case; what begins with the text comes first', () => {
    expect(found('NORTH')).toEqual(['/machines/M1002', '/machines/M1001'])
    expect(found('north m1001')).toEqual(['/machines/M1001'])
    expect(found('南京路')).toEqual(['/machines/M1001'])
    expect(found('供应商')).toEqual(['/connections'])
    expect(found('north cola')).toEqual([])
  })

  test('a group whose entries begin with the text comes before one that only mentions it', () => {
    expect(found('m100')).toEqual(['/machines/M1001', '/machines/M1002', '/approvals/dec-1'])
  })

  test('a pasted id opens its page, not the approval that begins with it', () => {
    const all: readonly Findable[] = [
      { group: 'approvals', text: 'po_abc for ¥576.00', href: '/approvals/dec-1' },
      { group: 'sessions', text: 'Water', note: '¥576.00 · po_abc', href: '/purchases/po_abc' },
    ]
    expect(findResults('po_abc', all).map(({ href }) => href)).toEqual(['/purchases/po_abc', '/approvals/dec-1'])
  })

  test.each([
    ['run-1788982209592', '/runs/run-1788982209592'],
    ['po_abc123', '/purchases/po_abc123'],
    ['dec-1-2', '/approvals/dec-1-2'],
    ['acme-supply:SP9', '/skus/acme-supply%3ASP9'],
  ])('an id opens its page although it is in no list: %s', (id, path) => {
    expect(found(id)).toEqual([path])
  })
})
