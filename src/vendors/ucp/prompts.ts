/** What `vendops connect` asks for a merchant that speaks UCP. */
import type { SettingPrompt } from '../adapter-module.ts'

const complete = { path: 'mode', isOneOf: ['complete'] }

export const PROMPTS: readonly SettingPrompt[] = [
  { path: 'url', question: 'Address of the shop' },
  { path: 'profile', question: 'Address of our own profile, which the shop may read' },
  { path: 'bearer', question: 'Access token, if the shop gave one', isOptional: true },
  { path: 'api_key', question: 'API key, if the shop gave one instead', isOptional: true },
  { path: 'transport', question: 'Protocol, where the shop has both', choices: ['rest', 'mcp'], isOptional: true },
  {
    path: 'mode',
    question: 'Who pays: complete (vendops buys) or handoff (a person pays on a page of the shop)',
    choices: ['complete', 'handoff'],
    default: 'handoff',
  },
  { path: 'handler', question: 'Payment handler of the shop', isOptional: true, onlyIf: complete },
  { path: 'instrument.id', question: 'Id of the payment instrument', onlyIf: complete },
  { path: 'instrument.type', question: 'Its type, such as on_account or card', onlyIf: complete },
  {
    path: 'instrument.credential.token',
    question: 'Secret of the payment instrument, if it has one',
    isOptional: true,
    onlyIf: complete,
  },
  {
    path: 'instrument.credential.type',
    question: 'Type of this secret',
    default: 'token',
    onlyIf: { path: 'instrument.credential.token' },
  },
  { path: 'assortment.queries', question: 'Searches that list what you buy', kind: 'list', isOptional: true },
  { path: 'assortment.ids', question: 'Ids of products or variants that you buy', kind: 'list', isOptional: true },
]
