import { ApiError } from '../errors.ts'
import { describeFailure } from '../process/failures.ts'
import { createUser, issueCodeCommand, makeBot, resetPasswordCommand } from './accounts.ts'
import {
  deleteUser,
  disableTotpCommand,
  disableUser,
  enableUser,
  endSessionsCommand,
  listUsers,
  makeAdmin,
  showUser,
  unmakeAdmin,
} from './administration.ts'
import { backup } from './backup.ts'
import { CliError, type Command, type CommandContext, readArguments, UsageError, usageOf } from './command.ts'
import { demo } from './demo.ts'
import { distribute } from './distribute.ts'
import { doctor } from './doctor/doctor.ts'
import { exportHouse } from './house-archive/export-house.ts'
import { importHouse } from './house-archive/import-house.ts'
import { deleteHouseCommand, listHouses } from './houses.ts'
import { migrate } from './migrate.ts'
import { restore } from './restore.ts'

const commands: readonly Command[] = [
  createUser,
  resetPasswordCommand,
  issueCodeCommand,
  makeBot,
  listUsers,
  showUser,
  disableUser,
  enableUser,
  deleteUser,
  endSessionsCommand,
  disableTotpCommand,
  makeAdmin,
  unmakeAdmin,
  listHouses,
  deleteHouseCommand,
  exportHouse,
  importHouse,
  migrate,
  distribute,
  doctor,
  backup,
  restore,
  demo,
]

const [done, failed, misused] = [0, 1, 2]
const helpFlags = ['--help', '-h']

/** Runs the command with these arguments. Returns the exit code: 0 done, 1 failed, 2 wrong usage. */
export async function run(words: readonly string[], context: CommandContext): Promise<number> {
  const [name, ...rest] = words
  if (name === undefined) {
    for (const line of usage()) context.printError(line)
    return misused
  }
  if (['help', ...helpFlags].includes(name)) {
    for (const line of usage()) context.print(line)
    return done
  }
  const command = commands.find((one) => one.name === name)
  if (!command) {
    context.printError(`There is no command "${name}": "npm run hearth -- help" lists them.`)
    return misused
  }
  if (rest.some((word) => helpFlags.includes(word))) {
    for (const line of usageLines(command)) context.print(line)
    return done
  }
  return attempt(command, rest, context)
}

async function attempt(command: Command, words: string[], context: CommandContext): Promise<number> {
  try {
    await command.run(readArguments(command, words), context)
    return done
  } catch (error) {
    if (error instanceof UsageError) {
      context.printError(`${error.message}: npm run hearth -- ${usageOf(command)}`)
      return misused
    }
    context.printError(sentenceOf(error))
    return failed
  }
}

/** The message of a failure, in a sentence; for bugs the stack. */
function sentenceOf(error: unknown): string {
  if (error instanceof CliError) return error.message
  if (error instanceof ApiError) return `${error.message}.`
  return describeFailure(error)
}

function usage(): string[] {
  return [
    'npm run hearth -- <command>',
    '',
    ...commands.flatMap(usageLines),
    '',
    'Commands use the database and files of DATABASE_URL, DATA_DIR and STORAGE_URL, as the server does.',
  ]
}

function usageLines(command: Command): string[] {
  const options = Object.entries(command.options).map(([name, { summary }]) => `      --${name}: ${summary}`)
  return [`  ${usageOf(command)}`, `      ${command.summary}`, ...options]
}
