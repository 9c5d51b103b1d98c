/** Tells a person at a terminal what takes a while; logs and other programs are told nothing. */
export function sayStep(
  text: string,
  output: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stdout,
): void {
  if (output.isTTY) output.write(`${text}\n`)
}
