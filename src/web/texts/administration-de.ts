import type { AdministrationTexts } from './administration-en.ts'

/** The texts of the page for admins of the server, in German. */
export const administrationDe: AdministrationTexts = {
  overview: 'Überblick',
  version: 'Version',
  health: 'Zustand',
  healthy: 'Bereit',
  unhealthy: 'Nicht bereit: Die Datenbank ist nicht da, oder nicht von dieser Version.',
  users: 'Personen',
  houses: 'Häuser',
  messages: 'Nachrichten',
  storage: 'Dateien',
  database: 'Datenbank',
  sockets: 'Offene Verbindungen',
  processes: 'Prozesse',
  processSince: (time, memory, sockets) => `Seit ${time}, ${memory} Speicher, ${sockets} Verbindungen`,

  findUsers: 'Personen finden',
  findHouses: 'Häuser finden',
  findHint: 'Mit der Id oder einem Teil des Namens.',
  noneFound: 'Niemand und nichts heißt so.',
  admin: 'Admin',
  disabled: 'Gesperrt',
  bot: 'Bot',
  you: 'Du',
  created: 'Angelegt',
  lastSeen: 'Zuletzt da',
  neverSeen: 'nicht angemeldet',
  actionsFor: (name) => `Aktionen für ${name}`,
  actions: 'Aktionen',

  disable: 'Sperren',
  disableSure: (name) =>
    `${name} sperren? Alle Sitzungen enden, auch die der Bots. Niemand kann sich mit dem Konto anmelden, bis es entsperrt ist.`,
  enable: 'Entsperren',
  makeAdmin: 'Zum Admin machen',
  makeAdminSure: (name) =>
    `${name} zum Admin machen? Dann geht dort alles, was du hier kannst, auch mit dir.`,
  unmakeAdmin: 'Kein Admin mehr',
  endSessions: 'Alle Sitzungen beenden',
  endSessionsSure: (name) => `Alle Sitzungen von ${name} beenden?`,
  disableTotp: 'Zwei-Faktor ausschalten',
  disableTotpSure: (name) => `Zwei-Faktor für ${name} ausschalten? Dann genügt das Passwort.`,
  deleteUser: 'Konto löschen',
  deleteUserSure: (name) =>
    `Das Konto von ${name} und seine Bots löschen? Nachrichten bleiben, von einem gelöschten Konto. Das lässt sich nicht rückgängig machen.`,
  deleteHouse: 'Haus löschen',
  deleteHouseSure: (name) =>
    `${name} mit allen Räumen, Nachrichten und Dateien löschen? Das lässt sich nicht rückgängig machen.`,
  ownedBy: (name) => `Gehört ${name}`,

  auditLog: 'Protokoll',
  nothingDone: 'Noch nichts. Hier steht, was Admins und Befehle des Betreibers tun.',
  byCommand: 'Ein Befehl',
  audited: {
    user_created: 'hat ein Konto angelegt',
    user_edited: 'hat ein Konto geändert',
    user_deleted: 'hat ein Konto gelöscht',
    user_sessions_ended: 'hat die Sitzungen eines Kontos beendet',
    password_reset: 'hat das Passwort eines Kontos gesetzt',
    code_issued: 'hat einen Code für ein Konto ausgegeben',
    bot_created: 'hat einen Bot angelegt',
    backup_verified: 'hat eine Sicherung geprüft',
    house_deleted: 'hat ein Haus gelöscht',
    house_exported: 'hat ein Haus exportiert',
    house_imported: 'hat ein Haus importiert',
  },
}
