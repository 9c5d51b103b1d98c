import { parseArgs } from 'node:util'

/** Where a command works and whom it tells of it. */
export type Surroundings = {
  environment: Record<string, string | undefined>
  /** Writes a line of the answer. */
  print(line: string): void
  /** Writes a line about what is wrong. */
  complain(line: string): void
}

type Option = { type: 'string' | 'boolean'; shown?: string; summary: string }

/** What was typed after the name of a command: every parameter, and the options that were there. */
type Arguments = {
  parameters: string[]
  options: Record<string, string | boolean | undefined>
}

export type Command = {
  name: string
  summary: string
  /** Names of what has to follow, in order. */
  parameters: readonly string[]
  options: Readonly<Record<string, Option>>
  /** Throws `CliError` for what the operator can put right. */
  run(args: Arguments, surroundings: Surroundings): Promise<void>
}

/** Something the operator can put right; the message is one sentence that names it. */
export class CliError extends Error {}

/** The command was typed wrongly. */
export class UsageError extends CliError {}

/** How a command is typed. */
export function usageOf({ name, parameters, options }: Command): string {
  const named = parameters.map((parameter) => `<${parameter}>`)
  const optional = Object.entries(options).map(([option, { type, shown = 'text' }]) => {
    return type === 'string' ? `[--${option} <${shown}>]` : `[--${option}]`
  })
  return [name, ...named, ...optional].join(' ')
}

/** Reads what follows the name of a command. Throws `UsageError`. */
export function readArguments(command: Command, words: readonly string[]): Arguments {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { type }]) => [name, { type }]),
  )
  const { values, positionals } = parse([...words], options)
  const missing = command.parameters[positionals.length]
  if (missing !== undefined) throw new UsageError(`<${missing}> is missing`)
  const superfluous = positionals[command.parameters.length]
  if (superfluous !== undefined) throw new UsageError(`"${superfluous}" is one too many`)
  const empty = command.parameters.find((_name, index) => positionals[index] === '')
  if (empty !== undefined) throw new UsageError(`<${empty}> is empty`)
  return { parameters: positionals, options: values }
}

function parse(args: string[], options: Record<string, { type: 'string' | 'boolean' }>) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    const [sentence] = (error as Error).message.split(/[.\n]/)
    throw new UsageError(sentence)
  }
}
