/** Writes a step that takes a while to a terminal; logs and other programs do not get it. */
export function sayStep(
  text: string,
  output: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stdout,
): void {
  if (output.isTTY) output.write(`${text}\n`)
}
