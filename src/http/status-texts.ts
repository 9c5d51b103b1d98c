/**
 * The reason phrase of each status. Taken from the module as it is: an `import` of `node:http` reads all that it exports,
 * and among that is an HTTP client with which a process is 13 MB larger.
 */
export const statusTexts = process.getBuiltinModule('node:http').STATUS_CODES
