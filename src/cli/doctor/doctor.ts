import { readConfig } from '../../config.ts'
import { CliError, type Command, count, printAnswer, withJson } from '../command.ts'
import { checkDatabase } from './database-checks.ts'
import { checkMail, checkOidc, checkRedis, checkStore } from './service-checks.ts'
import { checkNode, checkSettings } from './setting-checks.ts'
import { checkFilesSpace } from './space-checks.ts'

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check the installation and report each problem in a sentence; exit with 1 if there is one',
  parameters: [],
  options: withJson(),
  async run({ options }, context) {
    const config = readConfig(context.environment)
    const findings = [
      await checkNode(),
      ...(await checkDatabase(config, context)),
      await checkStore(config),
      ...(await checkFilesSpace(config)),
      await checkMail(config),
      await checkRedis(config),
      ...(await checkOidc(config)),
      ...checkSettings(config),
    ]
    const problems = findings.filter(({ state }) => state === 'wrong').length
    printAnswer(context, options, {
      lines: findings.map(({ state, sentence }) => `${state.padEnd(5)}  ${sentence}`),
      json: { ok: problems === 0, findings },
    })
    if (problems > 0) throw new CliError(`${count(problems, 'thing')} to put right.`)
  },
}
