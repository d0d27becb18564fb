/** Texts of people and keys. */

export const peopleEn = {
  people: {
    lead: 'Who has a key, and what it may do.',
    add: 'Add',
    name: 'Name',
    role: 'Role',
    roleHints: {
      owner: 'Everything, and alone approves requests and manages people.',
      operator: 'Everything but approving and managing people. For programs, too.',
      driver: 'Machines, runs and counts. No purchases, no prices.',
      viewer: 'Reads only.',
      bridge: 'A chat bot that passes on what an administrator decided.',
    },
    days: 'Valid for days (empty: no end)',
    created: 'Added',
    lastUsed: 'Last used',
    never: 'never',
    expires: 'Expires',
    status: 'Status',
    active: 'active',
    revoked: 'revoked',
    expired: 'expired',
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
