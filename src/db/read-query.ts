import pg from 'pg'

/** A statement that is prepared under its name. Its row parser is made with its first answer. */
export type Statement<Row> = { name: string; text: string; makeRow?: MakeRow<Row> }

/** Makes a row from its columns as they were received: texts, and null. */
type MakeRow<Row> = (fields: (string | null)[]) => Row

type Callback<Row> = (error: unknown, rows: Row[]) => void

/** A query for `pg` that makes its rows in one step, in a third of the time that `pg` takes. */
export class ReadQuery<Row> extends pg.Query {
  readonly #statement: Statement<Row>
  readonly #callback: Callback<Row>
  readonly #rows: Row[] = []
  #failure: unknown

  constructor(statement: Statement<Row>, values: (string | null)[], callback: Callback<Row>) {
    const { name, text } = statement
    // Not given as one object, which `pg` would copy property by property.
    super(text, values, (error: unknown) => callback(error, []))
    Object.assign(this, { name })
    this.#statement = statement
    this.#callback = callback
  }

  /**
   * Asks for the description of the columns only when a statement is first used: it takes longer to send than many
   * rows.
   */
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

/** Types whose text form `pg` leaves as it is: bigint and text. */
const plainTypes = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.TEXT])

const withoutDescribe = new WeakMap<pg.Connection, pg.Connection>()

/** The same connection, except that it does not ask for the description of the columns. */
function undescribed(connection: pg.Connection): pg.Connection {
  let made = withoutDescribe.get(connection)
  if (!made) {
    made = Object.create(connection, { describe: { value() {} } }) as pg.Connection
    withoutDescribe.set(connection, made)
  }
  return made
}

/** Generates a function that parses each column by its type, and makes an object of them. */
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
