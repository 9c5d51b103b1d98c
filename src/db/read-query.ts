import pg from 'pg'

/** A statement that is prepared under its name. What its rows are made by is found at its first answer. */
export type Statement<Row> = { name: string; text: string; makeRow?: MakeRow<Row> }

/** Makes a row of its columns as they came: texts, and null. */
type MakeRow<Row> = (fields: (string | null)[]) => Row

type Callback<Row> = (error: unknown, rows: Row[]) => void

/** A query of `pg` that makes its rows in one step, at a third of what `pg` takes over them. */
export class ReadQuery<Row> extends pg.Query {
  readonly #statement: Statement<Row>
  readonly #callback: Callback<Row>
  readonly #rows: Row[] = []
  #failure: unknown

  constructor(statement: Statement<Row>, values: (string | null)[], callback: Callback<Row>) {
    const { name, text } = statement
    // Not as one object: `pg` would copy it property by property.
    super(text, values, (error: unknown) => callback(error, []))
    Object.assign(this, { name })
    this.#statement = statement
    this.#callback = callback
  }

  /** What the columns are is asked with the first use of a statement alone: it takes longer to tell than many a row. */
  override submit = (connection: pg.Connection): unknown => {
    const isKnown = this.#statement.makeRow !== undefined
    return pg.Query.prototype.submit.call(this, isKnown ? undescribed(connection) : connection)
  }

  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    this.#statement.makeRow ??= rowMaker<Row>(fields)
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    try {
      this.#rows.push(this.#statement.makeRow!(fields))
    } catch (error) {
      this.#failure = error
    }
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#callback(this.#failure, this.#rows)
  }
}

/** What `pg` gives as it comes: bigint, text, and null. */
const plainTypes = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.TEXT])

const withoutDescribe = new WeakMap<pg.Connection, pg.Connection>()

/** The same connection, which does not pass on what asks for columns. */
function undescribed(connection: pg.Connection): pg.Connection {
  let made = withoutDescribe.get(connection)
  if (!made) {
    made = Object.create(connection, { describe: { value() {} } }) as pg.Connection
    withoutDescribe.set(connection, made)
  }
  return made
}

/** Writes a function that reads each column by its type and puts it under its name. */
function rowMaker<Row>(columns: readonly pg.FieldDef[]): MakeRow<Row> {
  const parsers = columns.map(({ dataTypeID }) => pg.types.getTypeParser(dataTypeID, 'text'))
  const entries = columns.map(({ name, dataTypeID }, place) => {
    const field = `fields[${place}]`
    const value = plainTypes.has(dataTypeID)
      ? field
      : `${field} === null ? null : parsers[${place}](${field})`
    return `${JSON.stringify(name)}: ${value}`
  })
  return new Function('parsers', `return (fields) => ({ ${entries.join(', ')} })`)(parsers) as MakeRow<Row>
}
