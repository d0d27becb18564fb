import { describe, expect, test } from 'vitest'
import { findNewMachines } from './new-machines.ts'

const identity = (given: Partial<Record<'ID101' | 'ID106' | 'CB101' | 'OperatorIdentifier' | 'file', string>>) => ({
  ID101: '',
  ID106: '',
  CB101: '',
  OperatorIdentifier: '',
  file: 'a.dex',
  model: '',
  ...given,
})
const found = (...strangers: readonly ReturnType<typeof identity>[]) =>
  findNewMachines(strangers, new Set(['A-19'])).map(({ id, field, value }) => [id, field, value])

describe('machines that files name and the settings do not', () => {
  test.each([
    ['by the number that the operator gave it', [identity({ ID106: 'B 7', ID101: 'SN1' })], [['B-7', 'ID106', 'B 7']]],
    ['a taken id gets a number', [identity({ ID106: 'A-19' })], [['A-19-2', 'ID106', 'A-19']]],
    ['zeros are no number', [identity({ ID106: '0000', ID101: 'SN1' })], [['SN1', 'ID101', 'SN1']]],
    [
      'one number in two machines tells nothing',
      [identity({ ID106: 'X1', ID101: 'SN1' }), identity({ ID106: 'X1', ID101: 'SN2' })],
      [
        ['SN1', 'ID101', 'SN1'],
        ['SN2', 'ID101', 'SN2'],
      ],
    ],
    ['a file without any number', [identity({ file: 'gym 3.dex' })], [['gym-3', 'file', 'gym 3.dex']]],
    ['two files of one machine', [identity({ ID106: 'B7' }), identity({ ID106: 'B7' })], [['B7', 'ID106', 'B7']]],
  ])('%s', (_, strangers, expected) => expect(found(...strangers)).toEqual(expected))
})
