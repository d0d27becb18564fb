import { expect, test } from 'vitest'
import { environmentVariables } from '../config/environment.ts'
import { environmentHelp } from './environment-help.ts'

test('the help of serve says what each variable is for, besides the values it takes', () => {
  const lines = new Map(environmentHelp())
  const bare = environmentVariables().filter(({ name, expected }) => {
    const line = lines.get(name) ?? ''
    return line === '' || line.startsWith(expected ?? '\0') || line.startsWith('default ')
  })
  expect(bare.map(({ name }) => name)).toEqual([])
})
