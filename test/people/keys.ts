/** Named keys for tests, made as `vendops people add` makes them. */
import { addPerson } from '../../src/rules/people/index.ts'
import type { PersonRole } from '../../src/kernel/person.ts'
import type { Context } from '../../src/context.ts'

export interface TestKey {
  readonly id: string
  readonly key: string
  readonly signInCode: string
}

/** As on the server: no request, no caller. */
export async function addKey(
  service: { readonly ctx: Pick<Context, 'store' | 'clock' | 'config'> },
  role: PersonRole,
  name: string = role,
  options: { readonly expiresAt?: number; readonly rateLimitPerMinute?: number } = {},
): Promise<TestKey> {
  const person = { name: name === 'operator' ? 'agent' : name, role, expiresAt: undefined, ...options }
  const added = await addPerson(service.ctx, person, 'root@host')
  if (!added.ok) throw new Error(added.refusal.messages[0]?.content)
  const { person: stored, key, signInUrl } = added.value
  return { id: stored.id, key, signInCode: signInUrl?.split('#')[1] ?? '' }
}
