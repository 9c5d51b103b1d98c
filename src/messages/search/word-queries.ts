import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'

/**
 * A text as `search_text` folds it, with a space around each word, and the entries that the index has of a message with
 * all these words.
 */
export type FoldedText = { text: string; keys: string[] }

/** Folds texts as the contents of messages are. In their order. An address in one is words: messages need not have a link. */
export async function foldTexts(db: Db, texts: readonly string[]): Promise<FoldedText[]> {
  if (texts.length === 0) return []
  const { rows } = await sql<FoldedText>`
    select search_text(given.text, null) as text,
      tsvector_to_array(search_keys(replace(given.text, '://', ' '), null, '{}', '{}')) as keys
    from unnest(${texts}::text[]) with ordinality as given (text, place)
    order by place`.execute(db)
  return rows
}
