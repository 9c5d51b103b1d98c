import pg from 'pg'

/** Rows as arrays of their columns, and the names of these. */
export type Tuples = { names: string[]; rows: unknown[][] }

/** A query for `pg` that keeps its rows as they are received. What `pg` makes of them takes three times as long. */
export class RowQuery extends pg.Query {
  declare name: string
  readonly answered: Promise<Tuples>
  readonly fail: (error: unknown) => void
  #columns: pg.FieldDef[] = []
  readonly #rows: unknown[][] = []

  constructor({ name, text }: { name: string; text: string }, values: (string | null)[]) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    super(text, values, (error) => (error ? reject(error) : resolve()))
    this.name = name
    this.fail = reject
    this.answered = promise.then(() => this.#parse())
  }

  /** Called by `pg` before the rows. */
  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    this.#columns = fields
  }

  /** Called by `pg` for each row. */
  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.#rows.push(fields)
  }

  #parse(): Tuples {
    for (const [place, { dataTypeID }] of this.#columns.entries()) {
      if (!plainTypes.has(dataTypeID)) parseColumn(this.#rows, place, dataTypeID)
    }
    return { names: this.#columns.map(({ name }) => name), rows: this.#rows }
  }
}

/** Types whose texts stay as they are: ids, and text. */
const plainTypes = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.TEXT])

function parseColumn(rows: unknown[][], place: number, type: number): void {
  const parse = pg.types.getTypeParser(type, 'text')
  for (const row of rows) {
    if (row[place] !== null) row[place] = parse(row[place] as string)
  }
}

/** Makes an object of each row. */
export function toObjects<Row>({ names, rows }: Tuples): Row[] {
  return rows.map((fields) => {
    const row: Record<string, unknown> = {}
    for (let place = 0; place < names.length; place += 1) row[names[place]!] = fields[place]
    return row as Row
  })
}
