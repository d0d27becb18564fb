/**
 * Once, with the tag of v0.2.0: writes the first migration down as text, under the name that it has by then, so that tables
 * may change while the databases of that version are still known. Remove this script with it (docs/changing-things.md).
 */
import { writeFileSync } from 'node:fs'
import { SCHEMA, schema } from '../src/store/migrations/0001_schema.ts'

const FILE = new URL('../src/store/migrations/0001_schema.ts', import.meta.url)

const words = { int: '${int}', identity: '${identity}', strict: '${strict}', clustered: '${clustered}' }
const statements = schema(words).map((statement) =>
  statement.startsWith('insert into deployment')
    ? "insert into deployment (name, value) values ('id', '${randomUUID()}')"
    : statement.replaceAll(/\s*\n\s*/g, ' '),
)

writeFileSync(
  FILE,
  `/** All tables as v0.2.0 created them. Never edited: later migrations change them (docs/changing-things.md). */
import { randomUUID } from 'node:crypto'
import type { Ddl } from '../table.ts'

export const SCHEMA = '${SCHEMA}'

export const schema = ({ int, identity, strict, clustered }: Ddl): readonly string[] => [
${statements.map((statement) => `  \`${statement}\`,`).join('\n')}
]
`,
)
