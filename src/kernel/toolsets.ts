/** Groups of tools that a deployment or a host switches on. `owner`: what the person who answers for the money decides. */
export const TOOLSETS = [
  'catalog',
  'checkout',
  'orders',
  'locations',
  'pricing',
  'replenishment',
  'approvals',
  'events',
  'admin',
  'owner',
] as const
export type Toolset = (typeof TOOLSETS)[number]

const isToolset = (name: string): name is Toolset => (TOOLSETS as readonly string[]).includes(name)

/** `all`: an agent that triggers an approval must not hold the tool that grants it, so `owner` has to be named. */
const ALL_TOOLSETS: readonly Toolset[] = TOOLSETS.filter((name) => name !== 'owner')

/** `all,owner` → the toolsets; undefined when a name is unknown or none is named. */
export function parseToolsets(text: string): ReadonlySet<Toolset> | undefined {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const toolsets = names.flatMap((name) => (name === 'all' ? ALL_TOOLSETS : isToolset(name) ? [name] : []))
  return names.length > 0 && names.every((name) => name === 'all' || isToolset(name)) ? new Set(toolsets) : undefined
}
