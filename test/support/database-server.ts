// Apart from the start of the server, whose container library takes half a second to load.
import pg from 'pg'

/** The address of another database on the same server. */
export function databaseOn(url: string, name: string): string {
  const address = new URL(url)
  address.pathname = `/${name}`
  return address.href
}

/** Runs one statement in the server's own database. */
export async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Runs one statement on each of these servers. */
export async function onServers(urls: readonly string[], statement: string): Promise<void> {
  await Promise.all(urls.map((url) => onServer(url, statement)))
}
