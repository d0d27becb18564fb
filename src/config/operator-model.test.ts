import { expect, test } from 'vitest'
import { parseModelName, parsePair } from './operator-model.ts'

test.each([
  ['anthropic:claude-x', { protocol: 'anthropic', model: 'claude-x', url: 'https://api.anthropic.com' }],
  [
    'anthropic:claude-x@2025@https://a.example/',
    { protocol: 'anthropic', model: 'claude-x@2025', url: 'https://a.example' },
  ],
  ['openai:gpt@https://api.example.com/v1', { protocol: 'openai', model: 'gpt', url: 'https://api.example.com/v1' }],
  [
    'openai:llama3:8b@http://127.0.0.1:11434/v1',
    { protocol: 'openai', model: 'llama3:8b', url: 'http://127.0.0.1:11434/v1' },
  ],
  ['openai:gpt', undefined],
  ['openai:@https://api.example.com', undefined],
  ['gpt@https://api.example.com', undefined],
  ['anthropic:', undefined],
  ['anthropic:claude-x@', undefined],
  ['anthropic:claude-x@ftp://a.example', undefined],
  ['anthropic:claude-x@/v1', undefined],
  ['anthropic:two words', undefined],
])('%s', (text, expected) => expect(parseModelName(text)).toEqual(expected))

test.each([
  ['300, 1500', [300, 1500]],
  ['0,0', [0, 0]],
  ['300', undefined],
  ['-1,2', undefined],
  ['1.5,2', undefined],
])('%s is a pair: %j', (text, expected) => expect(parsePair(text)).toEqual(expected))
