/** What a new deployment still lacks before it can run the route. */
import { type SetupStep, SETUP_STEPS } from '../../contract/shapes/overview.ts'

interface SetupFacts {
  readonly liveRoles: readonly ('supply' | 'machine')[]
  /** Undefined: they cannot be read. */
  readonly rules:
    | { readonly administrators: readonly unknown[]; readonly administratorChats: readonly unknown[] }
    | undefined
  /** An owner key was created. */
  readonly hasOwner: boolean
  readonly roster: readonly { readonly lastSyncedAt: number | undefined }[]
  readonly defaultDestination: Readonly<Record<string, string>> | undefined
}

/** Without these a run that is placed opens purchases that nobody can ship. */
const DESTINATION_FIELDS = ['street_address', 'first_name', 'phone_number']

const IS_DONE: Readonly<Record<SetupStep['step'], (facts: SetupFacts) => boolean>> = {
  connection: ({ liveRoles }) => liveRoles.includes('supply') && liveRoles.includes('machine'),
  rules: ({ rules }) => rules !== undefined,
  owner: ({ hasOwner, rules }) =>
    hasOwner || (rules?.administrators.length ?? 0) + (rules?.administratorChats.length ?? 0) > 0,
  machines: ({ roster }) => roster.length > 0,
  destination: ({ defaultDestination: to }) => DESTINATION_FIELDS.every((field) => Boolean(to?.[field])),
  sync: ({ roster }) => roster.some(({ lastSyncedAt }) => lastSyncedAt !== undefined),
}

export const setupSteps = (facts: SetupFacts): SetupStep[] =>
  SETUP_STEPS.map((step) => ({ step, done: IS_DONE[step](facts) }))
