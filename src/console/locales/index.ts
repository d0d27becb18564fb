/** What the first page loads, in both languages. Other pages load their own file of this folder. */
import { APPROVALS } from './approvals.ts'
import { CATALOG } from './catalog.ts'
import { CONNECTIONS } from './connections.ts'
import { FORECASTS } from './forecasts.ts'
import { GUARDRAILS } from './guardrails.ts'
import { MACHINES } from './machines.ts'
import { NAMES } from './names.ts'
import { OPERATOR } from './operator.ts'
import { PEOPLE } from './people.ts'
import { PLAN } from './plan.ts'
import { PURCHASES } from './purchases.ts'
import { RUNS } from './runs.ts'
import { SHELL } from './shell.ts'
import { TODAY } from './today.ts'

const inLanguage = (language: 'en' | 'zh') => ({
  ...SHELL[language],
  ...NAMES[language],
  ...TODAY[language],
  ...APPROVALS[language],
  ...PURCHASES[language],
  ...MACHINES[language],
  ...PLAN[language],
  ...FORECASTS[language],
  ...RUNS[language],
  ...CATALOG[language],
  ...CONNECTIONS[language],
  ...PEOPLE[language],
  ...GUARDRAILS[language],
  operator: OPERATOR[language],
})

export const TEXTS = { en: inLanguage('en'), zh: inLanguage('zh') }
export type Texts = (typeof TEXTS)['en']
