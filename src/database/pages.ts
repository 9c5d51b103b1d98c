/** All rows, read by pages of `limit`, each behind the last row of the one before. */
export async function* readPages<Row>(
  limit: number,
  read: (last: Row | undefined, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row> {
  for (let last: Row | undefined; ; ) {
    const rows = await read(last, limit)
    yield* rows
    if (rows.length < limit) return
    last = rows.at(-1)!
  }
}
