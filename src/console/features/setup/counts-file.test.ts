import { expect, test } from 'vitest'
import { type CountedMachine, readCountsFile, readStoreroomFile } from './counts-file.ts'

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
  [
    'below a title, with a sign in a heading',
    'Lobby - counted 11/18/2026\n\nMachine;Selection #;Count\nM1;12;5',
    ['M1 M1-2 5'],
    [],
  ],
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

const PRODUCTS = [
  { id: 'lakes:004307', title: 'Coke Can', barcode: '048561740485' },
  { id: 'lakes:41225', title: 'Lays' },
  { id: 'other:41225', title: 'Lays' },
  { id: 'lakes:7', title: 'Gum' },
]

test.each([
  [
    'by number',
    'STORE ROOM 11/18\nItem #,Description,Qty on hand\n004307,COKE,30\n7,,0',
    ['lakes:004307 30', 'lakes:7 0'],
    [],
  ],
  ['by barcode or name', 'upc,name,count\n048561740485,Cola,30\n,gum,2', ['lakes:004307 30', 'lakes:7 2'], []],
  ['two suppliers have it', 'item,units\n41225,5\nother:41225,6', ['other:41225 6'], ['2 several 41225']],
  ['no such product', 'item,name,units\n004999,Coke Can,7', [], ['2 product 004999, Coke Can']],
  ['no whole number', 'item,units\n7,2 cs', [], ['2 units 7: 2 cs']],
  ['twice', 'item,units\n7,2\n7,3', [], ['3 twice 7']],
])('the store room: %s', (_, text, counts, problems) => {
  const read = readStoreroomFile(text, PRODUCTS)
  expect([
    [...read.counts].map(([id, units]) => `${id} ${units}`),
    read.problems.map(({ line, problem, value }) => `${line} ${problem} ${value}`),
    read.missing,
  ]).toEqual([counts, problems, []])
})

test('the store room needs a column of units and one of products', () => {
  expect(readStoreroomFile('a,b\n1,2', PRODUCTS).missing).toEqual(['units', 'product'])
})
