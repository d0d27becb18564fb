/** Rewrites `docs/generated` from the contract: `npm run generate`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generated } from '../src/api-docs/generated-files.ts'

const folder = join(import.meta.dirname, '..', 'docs', 'generated')
mkdirSync(folder, { recursive: true })
for (const [name, content] of Object.entries(generated())) {
  writeFileSync(join(folder, name), content)
  console.log(`docs/generated/${name}`)
}
