/** Rewrites `docs/generated` from the contract: `npm run draw`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generated } from '../src/contract/golden.ts'

const folder = join(import.meta.dirname, '..', 'docs', 'generated')
mkdirSync(folder, { recursive: true })
for (const [name, content] of Object.entries(generated())) {
  writeFileSync(join(folder, name), content)
  console.log(`docs/generated/${name}`)
}
