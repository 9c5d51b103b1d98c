import { run } from './run.ts'

// The reader of the output may close it early, as `| head` does; the command still finishes.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

process.exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  print: (line) => process.stdout.write(`${line}\n`),
  printError: (line) => process.stderr.write(`${line}\n`),
})
