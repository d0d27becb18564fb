import { expect, test } from 'vitest'
import { type CountedMachine, readCountsFile } from './counts-file.ts'

const slot = (slotId: string, place: string, title: string) => ({
  slotId,
  places: [place],
  title,
  skuId: `acme-machine:${slotId}-sku`,
})
const MACHINES: readonly CountedMachine[] = [
  { id: 'M1', name: 'Lobby', slots: [slot('M1-1', 'A-1', 'Cola'), slot('M1-2', '12', 'Water')] },
  { id: 'M2', name: 'Gym', slots: [slot('M2-1', 'A-1', 'Cola'), slot('M2-2', 'A-2', 'Cola')] },
]
const read = (text: string, machines = MACHINES) => {
  const { counts, problems, missing } = readCountsFile(text, machines)
  return [
    [...counts].flatMap(([id, own]) => [...own].map(([slotId, units]) => `${id} ${slotId} ${units}`)),
    problems.map(({ line, problem, value }) => `${line} ${problem} ${value}`),
    missing,
  ]
}

test.each([
  ['by slot', 'machine,slot,units\nM1,A-1,5\nlobby,12,7\nM2,M2-2,0', ['M1 M1-1 5', 'M1 M1-2 7', 'M2 M2-2 0'], []],
  ['by product', 'Machine;Product;Qty\nLobby;cola;5\nLobby;M1-2-sku;6', ['M1 M1-1 5', 'M1 M1-2 6'], []],
  ['pasted, in Chinese', '机器\t货道\t数量\nM1\tA-1\t5', ['M1 M1-1 5'], []],
  ['an empty count is none', 'machine,slot,units\nM1,A-1,\nM1,12,3', ['M1 M1-2 3'], []],
  ['which machine is not known', 'machine,slot,units\nM3,A-1,5', [], ['2 machine M3']],
  ['no machine, although there are two', 'slot,units\nA-1,5', [], ['2 machine_missing ']],
  ['which slot is not known', 'machine,slot,units\nM1,B-9,5\nM1,,5', [], ['2 slot B-9', '3 slot ']],
  ['a product in two slots', 'machine,product,units\nM2,Cola,5', [], ['2 several Cola']],
  ['slot and product disagree', 'machine,slot,product,units\nM1,A-1,Water,5', [], ['2 slot A-1, Water']],
  [
    'no whole number',
    'machine,slot,units\nM1,A-1,about 5\nM1,12,"1.200"\nM2,A-1,-1\nM2,A-2,1e3',
    [],
    ['2 units about 5', '3 units 1.200', '4 units -1', '5 units 1e3'],
  ],
  [
    'one slot twice counts not at all',
    'machine,slot,units\nM1,A-1,5\nM1,A-1,6\nM1,A-1,7',
    [],
    ['3 twice A-1', '4 twice A-1'],
  ],
  ['also when one of the two cannot be read', 'machine,slot,units\nM1,A-1,5\nM1,A-1,few', [], ['3 twice A-1']],
])('%s', (_, text, counts, problems) => {
  expect(read(text)).toEqual([counts, problems, []])
})

test('one machine needs no column for it', () => {
  expect(read('selection,count\n12,4', MACHINES.slice(0, 1))).toEqual([['M1 M1-2 4'], [], []])
})

test.each([
  ['', ['units', 'slot']],
  ['machine,slot\nM1,A-1', ['units']],
  ['machine,units\nM1,5', ['slot']],
  ['machine,slot,stock,count\nM1,A-1,5,6', ['units']],
])('without the columns nothing is read: %j', (text, missing) => {
  expect(read(text)).toEqual([[], [], missing])
})
