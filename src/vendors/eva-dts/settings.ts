/** The settings of a folder of DEX files. */
import { type Static, Type } from 'typebox'
import { integer, oneOf, text } from '../../lib/validator.ts'
import { isTimeZone } from '../../kernel/clock.ts'
import { parseLocationId } from '../../kernel/ids.ts'
import type { CheckedSettings } from '../adapter-module.ts'
import { filledText, optionalText, settingsCheck, strict } from '../settings-check.ts'
import { QueueSettings, queueProblems } from '../sqs/settings.ts'
import { ENCODINGS } from '../sheet/documents/csv/csv-text.ts'

const optional = Type.Optional

/** The fields of a file that can say which machine it is of. */
export const MACHINE_KEYS = ['ID101', 'ID106', 'CB101', 'OperatorIdentifier', 'file'] as const
export type MachineKey = (typeof MACHINE_KEYS)[number]

const Machine = Type.Object(
  {
    location: text(
      'a machine id of letters, digits, dots, dashes and underscores',
      (id) => parseLocationId(id) !== undefined,
    ),
    name: optionalText(),
    time_zone: optional(text('an IANA time zone name', isTimeZone)),
    ID101: optionalText(),
    ID106: optionalText(),
    CB101: optionalText(),
    OperatorIdentifier: optionalText(),
    /** A pattern of the file's name: `*` stands for any characters. */
    file: optionalText(),
    accept_bad_checksum: optional(Type.Boolean({ expected: 'true or false' })),
  },
  strict,
)

const Planogram = Type.Object(
  {
    file: filledText(),
    encoding: oneOf(ENCODINGS, { default: 'utf-8' }),
    delimiter: text('one character', (value) => value.length === 1, { default: ',' }),
    decimal: oneOf(['.', ','], { default: '.' }),
  },
  strict,
)

const Settings = Type.Object(
  {
    folder: filledText(),
    machines: Type.Array(Machine, { default: [], expected: 'a list of machines' }),
    planogram: optional(Planogram),
    clock: oneOf(['file', 'machine', 'received'], { default: 'file' }),
    accept_bad_checksum: Type.Boolean({ default: false, expected: 'true or false' }),
    max_age_hours: integer(1, 8760, { default: 48 }),
    queue: optional(QueueSettings),
  },
  strict,
)
export type EvaDtsSettings = Static<typeof Settings>
export type MachineSetting = EvaDtsSettings['machines'][number]

const check = settingsCheck(Settings, ({ machines = [], queue }) => [
  ...machines.flatMap(machineProblems),
  ...queueProblems(queue),
])

export const checkSettings = (given: unknown): CheckedSettings<EvaDtsSettings> => check(withDefaults(given))

function machineProblems(machine: MachineSetting, index: number, all: readonly MachineSetting[]): readonly string[] {
  const keys = MACHINE_KEYS.filter((key) => machine[key] !== undefined)
  return [
    ...(keys.length <= 1 ? [] : [`machines.${index} must have at most one of ${MACHINE_KEYS.join(', ')}`]),
    ...(all.findIndex(({ location }) => location === machine.location) === index
      ? []
      : [`machines.${index}.location ${machine.location} is listed twice`]),
    ...keys.flatMap((key) =>
      all.findIndex((other) => other[key] === machine[key]) === index
        ? []
        : [`machines.${index}.${key} ${machine[key]} is listed twice`],
    ),
  ]
}

/** The schema names the defaults; they are filled in before it checks. */
function withDefaults(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  const { planogram } = given as { readonly planogram?: unknown }
  return {
    ...defaultsOf(Settings.properties),
    ...given,
    ...(typeof planogram === 'object' && planogram !== null
      ? { planogram: { ...defaultsOf(Planogram.properties), ...planogram } }
      : {}),
  }
}

const defaultsOf = (properties: Readonly<Record<string, object>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) =>
      'default' in schema ? [[name, (schema as { readonly default: unknown }).default]] : [],
    ),
  )
