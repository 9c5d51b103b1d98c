import { parseArgs } from 'node:util'

/** The environment of a command, and its output. */
export type CommandContext = {
  environment: Record<string, string | undefined>
  /** Writes a line of the answer. */
  print(line: string): void
  /** Writes a line about what is wrong. */
  printError(line: string): void
}

/** What a command answers: to people in lines, and to programs (`--json`) as a value. */
export type Answer = { lines: readonly string[]; json: unknown }

type Option = { type: 'string' | 'boolean'; shown?: string; summary: string }

/** The arguments of a command: all of its parameters, and the options that were given. */
type Arguments = {
  parameters: string[]
  options: Record<string, string | boolean | undefined>
}

export type Command = {
  name: string
  summary: string
  /** The names of the parameters, in order. */
  parameters: readonly string[]
  options: Readonly<Record<string, Option>>
  /** Throws `CliError` for failures that the operator can fix. */
  run(args: Arguments, context: CommandContext): Promise<void>
}

/** A failure that the operator can fix; the message is one sentence. */
export class CliError extends Error {}

/** The command line is wrong. */
export class UsageError extends CliError {}

/** The usage line of a command. */
export function usageOf({ name, parameters, options }: Command): string {
  const named = parameters.map((parameter) => `<${parameter}>`)
  const optional = Object.entries(options).map(([option, { type, shown = 'text' }]) => {
    return type === 'string' ? `[--${option} <${shown}>]` : `[--${option}]`
  })
  return [name, ...named, ...optional].join(' ')
}

/** Parses the arguments of a command. Throws `UsageError`. */
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

/** For lines of an answer: `1 house`, `2 houses`. */
export function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`
}

/** The options of a command that answers programs, too. */
export function withJson(options: Command['options'] = {}): Command['options'] {
  return { ...options, json: { type: 'boolean', summary: 'print the answer as JSON, in one line' } }
}

/** Prints an answer as it was asked for. */
export function printAnswer(
  context: CommandContext,
  options: Arguments['options'],
  { lines, json }: Answer,
): void {
  for (const line of options.json ? [JSON.stringify(json)] : lines) context.print(line)
}
