/** Whether an operation of the API document needs a token: `{}` in its `security` makes it optional. */
export function needsToken(security: readonly object[]): boolean {
  return security.length > 0 && security.every((scheme) => Object.keys(scheme).length > 0)
}
