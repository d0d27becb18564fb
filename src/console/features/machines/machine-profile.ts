/** How the console edits and shows each field of the machine profile. A field of the contract without a row does not compile. */
import type { MachineProfile } from '../../../contract/shapes/location.ts'
import { texts } from '../../lib/text/i18n.ts'

type Name = keyof MachineProfile

interface FieldRow {
  readonly input: 'text' | 'choice'
  /** In the title of the machine's page, or below its slots as this text; separately: the page shows the value in effect. */
  readonly shown: 'title' | 'separately' | ((profile: MachineProfile) => string | undefined)
}

const FIELDS = {
  city: { input: 'text', shown: 'title' },
  address: { input: 'text', shown: 'title' },
  floor: { input: 'text', shown: 'title' },
  spot: { input: 'text', shown: 'title' },
  notes: { input: 'text', shown: ({ notes }) => notes },
  time_zone: { input: 'text', shown: 'separately' },
  placement: { input: 'choice', shown: ({ placement }) => placement && texts().placements[placement] },
  venueType: { input: 'choice', shown: ({ venueType }) => venueType && texts().venues[venueType] },
} as const satisfies Record<Name, FieldRow>
const NAMES = Object.keys(FIELDS) as Name[]

type TextField = { [K in Name]: (typeof FIELDS)[K]['input'] extends 'text' ? K : never }[Name]

export const textFields = NAMES.filter((name): name is TextField => FIELDS[name].input === 'text')

export const placeText = (profile: MachineProfile): string =>
  NAMES.flatMap((name) => (FIELDS[name].shown === 'title' ? (profile[name] ?? []) : [])).join(' · ')

/** Label and text of the fields that are stated and not part of the title. */
export const profileFacts = (profile: MachineProfile): (readonly [string, string])[] =>
  NAMES.flatMap((name) => {
    const { shown }: FieldRow = FIELDS[name]
    const text = typeof shown === 'string' ? undefined : shown(profile)
    return text ? [[fieldName(name), text] as const] : []
  })

/** The label of a field; of one that this console does not know, its name. */
export const fieldName = (name: string): string =>
  (texts().machineForm.fields as Readonly<Record<string, string>>)[name] ?? name
