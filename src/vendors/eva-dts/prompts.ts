/** What `vendops connect` asks for a folder of DEX files. */
import { type SettingPrompt, TIME_ZONE_PROMPT } from '../adapter-module.ts'
import { QUEUE_PROMPTS } from '../sqs/settings.ts'
import { MACHINE_KEYS } from './settings.ts'

export const PROMPTS: readonly SettingPrompt[] = [
  { path: 'folder', question: 'Folder of the DEX files' },
  {
    path: 'machines',
    question: `Machines as id=field:value, separated by commas; fields are ${MACHINE_KEYS.join(', ')}, such as M1=ID106:A-19`,
    parse: parseMachines,
    isOptional: true,
  },
  { path: 'planogram.file', question: 'Path of the planogram as CSV', isOptional: true },
  {
    path: 'clock',
    question: 'Whose time a reading has',
    choices: ['file', 'machine', 'received'],
    default: 'file',
  },
  { path: 'max_age_hours', question: 'Hours after which a machine counts as silent', kind: 'number', default: '48' },
  ...QUEUE_PROMPTS,
  TIME_ZONE_PROMPT,
]

/** `M1=ID106:A-19, M2=file:gym-*.dex` */
function parseMachines(answer: string): unknown {
  const entries = answer
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => /^([^=]+)=(\w+):(.+)$/.exec(entry))
  if (entries.length === 0 || entries.includes(null)) return answer
  return entries.map((entry) => {
    const [, location = '', field = '', value = ''] = entry ?? []
    return { location: location.trim(), [field]: value.trim() }
  })
}
