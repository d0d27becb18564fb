import { describe, expect, test } from 'vitest'
import {
  type OwnRun,
  type PurchaseSituation,
  type RestockSituation,
  asksAboutUnlinked,
  decidePurchase,
  decideRestock,
  decideSwaps,
  decideTrials,
  slotsOfUnknown,
} from './decide.ts'

const TODAY = '2026-09-10'
const run = (change: Partial<OwnRun> = {}): OwnRun => ({
  id: 'run-1',
  status: 'approved',
  isAsked: false,
  locations: ['M1'],
  createdOn: TODAY,
  ...change,
})
const trip = (...locations: string[]) => ({ date: TODAY, area: '上海', locations, waiting: 900 })
const situation = (change: Partial<RestockSituation> = {}): RestockSituation => ({
  level: 'act',
  today: TODAY,
  trips: [],
  runs: [],
  isBetweenWakes: false,
  ...change,
})

describe('restocking', () => {
  const asked = run({ isAsked: true })
  const waiting = run({ status: 'pending_approval', isAsked: true })
  test.each<[string, Partial<RestockSituation>, { place: string[]; create: [string[], boolean][] }]>([
    ['nothing is due', {}, { place: [], create: [] }],
    ['a trip is due', { trips: [trip('M1', 'M2')] }, { place: [], create: [[['M1', 'M2'], false]] }],
    [
      'two trips are due: a run each',
      { trips: [trip('M1'), trip('M2')] },
      {
        place: [],
        create: [
          [['M1'], false],
          [['M2'], false],
        ],
      },
    ],
    [
      'between wake-ups: nothing was planned today',
      { isBetweenWakes: true, trips: [trip('M1')], runs: [run({ createdOn: '2026-09-09', status: 'placed' })] },
      { place: [], create: [[['M1'], false]] },
    ],
    [
      'between wake-ups: no second trip of a day, and what was approved is ordered',
      { isBetweenWakes: true, trips: [trip('M2')], runs: [run()] },
      { place: ['run-1'], create: [] },
    ],
    ['off', { level: 'off', trips: [trip('M1')], runs: [asked] }, { place: [], create: [] }],
    ['propose asks', { level: 'propose', trips: [trip('M1')] }, { place: [], create: [[['M1'], true]] }],
    ['propose asks once', { level: 'propose', trips: [trip('M1')], runs: [waiting] }, { place: [], create: [] }],
    [
      'propose, after yes: bought',
      { level: 'propose', trips: [trip('M1')], runs: [asked] },
      { place: ['run-1'], create: [] },
    ],
    [
      'propose does not order what nobody was asked about',
      { level: 'propose', runs: [run()] },
      { place: [], create: [] },
    ],
    [
      'after no: not again today',
      { level: 'propose', trips: [trip('M1')], runs: [run({ status: 'rejected' })] },
      { place: [], create: [] },
    ],
    [
      'after no: tomorrow is another day',
      { level: 'propose', trips: [trip('M1')], runs: [run({ status: 'rejected', createdOn: '2026-09-09' })] },
      { place: [], create: [[['M1'], true]] },
    ],
    [
      'a run that waits holds nothing else up',
      { trips: [trip('M1'), trip('M2')], runs: [waiting] },
      { place: [], create: [[['M2'], false]] },
    ],
    ['what was created and not ordered', { runs: [run()] }, { place: ['run-1'], create: [] }],
  ])('%s', (_what, change, { place, create }) => {
    const decided = decideRestock(situation(change))
    expect(decided.place).toEqual(place)
    expect(decided.create.map(({ locations, ask }) => [locations, ask])).toEqual(create)
  })
})

describe('a purchase', () => {
  const base: PurchaseSituation = {
    purchase: { id: 'po_1', vendor: 'acme-supply', status: 'ready_for_complete', skus: ['s:1'], isHandoff: false },
    unknown: [],
    refusals: 0,
    missing: 0,
    lines: 2,
    isChanged: false,
  }
  const at = (status: string) => ({ purchase: { ...base.purchase, status } })
  test.each<[string, Partial<PurchaseSituation>, object]>([
    ['ready', {}, { move: 'complete' }],
    ['waits for the owner', at('requires_escalation'), { move: 'wait' }],
    ['bought already', at('completed'), { move: 'nothing' }],
    ['in progress', at('complete_in_progress'), { move: 'nothing' }],
    ['lacks an address', at('incomplete'), { move: 'nothing' }],
    ['a line is missing', { ...at('incomplete'), missing: 1 }, { move: 'trim' }],
    ['a product is no longer sold', { ...at('incomplete'), isChanged: true }, { move: 'trim' }],
    ['nothing is left', { ...at('incomplete'), missing: 2 }, { move: 'cancel' }],
    ['a person completes it', { purchase: { ...base.purchase, isHandoff: true } }, { move: 'person' }],
    [
      'the same goods may be ordered already',
      { unknown: [{ id: 'po_0', skus: ['s:9', 's:1'] }] },
      { move: 'hold', because: 'unknown', other: 'po_0' },
    ],
    ['other goods have no known outcome', { unknown: [{ id: 'po_0', skus: ['s:9'] }] }, { move: 'complete' }],
    ['its own unknown outcome is no other', { unknown: [{ id: 'po_1', skus: ['s:1'] }] }, { move: 'complete' }],
    ['refused twice', { refusals: 2 }, { move: 'complete' }],
    ['refused three times', { refusals: 3 }, { move: 'hold', because: 'refused' }],
  ])('%s', (_what, change, move) => expect(decidePurchase({ ...base, ...change })).toEqual(move))

  test('a run leaves out the slots whose goods have no known outcome', () => {
    const lines = [
      { slotId: 'a', source: 's:1' },
      { slotId: 'b', source: 's:2' },
      { slotId: 'c', source: undefined },
    ]
    expect(slotsOfUnknown(lines, [{ skus: ['s:2'] }])).toEqual(['b'])
    expect(slotsOfUnknown(lines, [])).toEqual([])
  })
})

describe('swaps', () => {
  const swap = (slotId: string, location: string, gain: number, status = 'proposed') => ({
    slotId,
    location,
    itemId: 'x',
    gain,
    status,
  })
  test('the best three, one in a machine, none where one waits', () => {
    const swaps = [
      swap('a', 'M1', 1),
      swap('b', 'M1', 5),
      swap('c', 'M2', 4),
      swap('d', 'M3', 3, 'pending'),
      swap('e', 'M3', 9),
      swap('f', 'M4', 2),
      swap('g', 'M5', 1),
    ]
    expect(decideSwaps('act', swaps).map(({ slotId }) => slotId)).toEqual(['b', 'c'])
    expect(decideSwaps('off', swaps)).toEqual([])
  })
})

describe('price trials', () => {
  const trial = (itemId: string, gain: number) => ({ itemId, gain, change: 50 })
  const five = ['a', 'b', 'c', 'd', 'e'].map((id, i) => trial(id, i + 1))
  const asked = (itemId: string, answer: 'pending' | 'approved' | 'rejected', isOver = false, change = 50) => ({
    itemId,
    answer,
    isOver,
    change,
  })
  type Situation = Parameters<typeof decideTrials>[0]
  test.each<[string, Partial<Situation>, string[], string | undefined]>([
    ['off', { level: 'off' }, [], undefined],
    ['act: the best four', {}, ['e', 'd', 'c', 'b'], undefined],
    ['act: as far as there is room', { running: 9 }, ['e'], undefined],
    ['act: no room', { running: 12 }, [], undefined],
    ['act: nothing that loses', { proposals: [trial('a', 0), trial('b', -3)] }, [], undefined],
    ['propose asks about the best', { level: 'propose' }, [], 'e'],
    ['propose: one question at a time', { level: 'propose', asked: [asked('a', 'pending')] }, [], undefined],
    ['propose: after yes it begins', { level: 'propose', asked: [asked('e', 'approved')] }, ['e'], 'd'],
    ['propose: only what was asked', { level: 'propose', asked: [asked('e', 'approved', false, 90)] }, [], 'd'],
    ['propose: once', { level: 'propose', asked: [asked('e', 'approved', true)] }, [], 'd'],
    ['propose: after no nothing', { level: 'propose', asked: [asked('e', 'rejected')] }, [], 'd'],
  ])('%s', (_what, change, begin, ask) => {
    const decided = decideTrials({ level: 'act', running: 0, proposals: five, asked: [], ...change })
    expect([decided.begin.map(({ itemId }) => itemId), decided.ask?.itemId]).toEqual([begin, ask])
  })
})

test.each([
  [0, undefined, false],
  [3, undefined, true],
  [3, 1, false],
  [3, 8, true],
])('%i unlinked products, asked %s days ago: %s', (count, daysAgo, asks) => {
  const now = 1_000 * 24 * 60 * 60 * 1000
  expect(asksAboutUnlinked(count, daysAgo === undefined ? undefined : now - daysAgo * 86_400_000, now)).toBe(asks)
})
