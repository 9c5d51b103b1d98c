/** The fields of an edit that are set, and differ from those of the row. */
export function changedFields<Fields extends object>(
  edit: Fields,
  row: { [Name in keyof Fields]?: unknown },
): Partial<Fields> {
  const changed = Object.entries(edit).filter(([name, value]) => {
    return value !== undefined && value !== row[name as keyof Fields]
  })
  return Object.fromEntries(changed) as Partial<Fields>
}
