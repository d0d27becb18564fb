/** Texts of people and keys. */

export const peopleEn = {
  people: {
    lead: 'Who has a key, and what it may do.',
    add: 'Add a person',
    name: 'Name',
    role: 'Role',
    roleHints: {
      owner: 'Everything. Only owners approve requests and manage people.',
      operator: 'Everything except approving and managing people. Also for programs.',
      driver: 'Machines, runs and counts. No purchases, no prices.',
      viewer: 'Can only read.',
      bridge: 'A chat bot that passes on what an administrator decided.',
    },
    days: 'Valid for (days; empty: no end)',
    lastUsed: 'Last used',
    thisHour: 'this hour',
    expires: 'Expires',
    active: 'Active',
    revoked: 'Revoked',
    expired: 'Expired',
    revoke: 'Revoke',
    revokeSure: (name: string) => `Revoke ${name}`,
    revokeText: 'The key is refused at once, and its sign-ins end. This cannot be undone.',
    keyTitle: (name: string) => `Key of ${name}`,
    keyText: 'Shown this once. Copy it now, or pass on the link, which signs in once within ten minutes.',
    key: 'Key',
    link: 'Sign-in link',
    done: 'Done',
  },
}
