/** The texts of the page for admins of the server. `administration-de.ts` has the same keys. */
export const administrationEn = {
  overview: 'Overview',
  version: 'Version',
  health: 'Health',
  healthy: 'Ready',
  unhealthy: 'Not ready: the database is away, or not of this version.',
  users: 'Users',
  houses: 'Houses',
  messages: 'Messages',
  storage: 'Files',
  database: 'Database',
  sockets: 'Open connections',
  processes: 'Processes',
  connections: { one: '{n} connection', other: '{n} connections' },
  processSince: (time: string, memory: string, connections: string) =>
    `Since ${time}, ${memory} of memory, ${connections}`,

  findUsers: 'Find users',
  findHouses: 'Find houses',
  findHint: 'By id, or a part of a name.',
  noneFound: 'Nobody and nothing is called so.',
  admin: 'Admin',
  disabled: 'Disabled',
  bot: 'Bot',
  you: 'You',
  created: 'Created',
  lastSeen: 'Last seen',
  neverSeen: 'Not logged in',
  actionsFor: (name: string) => `Actions for ${name}`,
  actions: 'Actions',

  disable: 'Disable',
  disableSure: (name: string) =>
    `Disable ${name}? All sessions end, and those of their bots. Nobody can log in to the account until it is enabled.`,
  enable: 'Enable',
  makeAdmin: 'Make an admin',
  makeAdminSure: (name: string) =>
    `Make ${name} an admin? They can then do all that you can do here, to you as well.`,
  unmakeAdmin: 'Make no admin',
  endSessions: 'End all sessions',
  endSessionsSure: (name: string) => `End all sessions of ${name}?`,
  disableTotp: 'Turn two-factor off',
  disableTotpSure: (name: string) => `Turn two-factor off for ${name}? Then the password is enough.`,
  deleteUser: 'Delete account',
  deleteUserSure: (name: string) =>
    `Delete the account of ${name} and its bots? Messages stay, under a deleted user. This cannot be undone.`,
  deleteHouse: 'Delete house',
  deleteHouseSure: (name: string) =>
    `Delete ${name} with its rooms, messages and files? This cannot be undone.`,
  ownedBy: (name: string) => `Owned by ${name}`,

  auditLog: 'Audit log',
  nothingDone: 'Nothing was done yet. What admins and commands of the operator do is listed here.',
  byCommand: 'A command',
  yes: 'yes',
  no: 'no',
  audited: {
    user_created: 'created an account',
    user_edited: 'changed an account',
    user_deleted: 'deleted an account',
    user_sessions_ended: 'ended the sessions of an account',
    password_reset: 'set the password of an account',
    code_issued: 'printed a code for an account',
    bot_created: 'created a bot',
    backup_verified: 'verified a backup',
    house_deleted: 'deleted a house',
    house_exported: 'exported a house',
    house_imported: 'imported a house',
  } as Record<string, string>,
  /** By the name of a field that changed. */
  auditedKeys: {
    disabled: 'Disabled',
    admin: 'Admin',
    mfa_enabled: 'Two-factor',
    name: 'Name',
    username: 'Username',
  } as Record<string, string>,
}

export type AdministrationTexts = typeof administrationEn
