import { type Kysely, sql } from 'kysely'

/** All of ASCII but letters, digits and the space. */
const asciiSigns = String.raw`\x01-\x1f\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f`

/** Accents, points of Hebrew and Arabic, variation selectors, and what is invisible. */
const marks = String.raw`\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u061c\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u180b-\u180e\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\U000e0000-\U000e0fff`

/** Characters that normal forms put in order, which takes a time that grows with the square of their number in a row. */
const ordered = String.raw`\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07eb-\u07f3\u07fd\u0816-\u0819\u081b-\u0823\u0825-\u0827\u0829-\u082d\u0859-\u085b\u0898-\u089f\u08ca-\u08e1\u08e3-\u08ff\u093c\u094d\u0951-\u0954\u09bc\u09cd\u09fe\u0a3c-\u0a4d\u0abc\u0acd\u0b3c\u0b4d\u0bcd\u0c3c\u0c4d-\u0c56\u0cbc\u0ccd\u0d3b-\u0d3c\u0d4d\u0dca\u0e38-\u0e3a\u0e48-\u0e4b\u0eb8-\u0eba\u0ec8-\u0ecb\u0f18-\u0f19\u0f35\u0f37\u0f39\u0f71-\u0f84\u0f86-\u0f87\u0fc6\u1037-\u103a\u108d\u135d-\u135f\u1714-\u1715\u1734\u17d2\u17dd\u18a9\u1939-\u193b\u1a17-\u1a18\u1a60-\u1a7f\u1ab0-\u1ace\u1b34-\u1b44\u1b6b-\u1b73\u1baa-\u1bab\u1be6-\u1bf3\u1c37\u1cd0-\u1cd2\u1cd4-\u1ce8\u1ced\u1cf4\u1cf8-\u1cf9\u1dc0-\u1dff\u20d0-\u20f0\u2cef-\u2cf1\u2d7f\u2de0-\u2dff\u302a-\u302f\u3099-\u309a\ua66f\ua674-\ua67d\ua69e-\ua69f\ua6f0-\ua6f1\ua806\ua82c\ua8c4\ua8e0-\ua8f1\ua92b-\ua92d\ua953\ua9b3-\ua9c0\uaab0\uaab2-\uaab4\uaab7-\uaab8\uaabe-\uaabf\uaac1\uaaf6\uabed\ufb1e\ufe20-\ufe2f\U000101fd\U000102e0\U00010376-\U0001037a\U00010a0d-\U00010a0f\U00010a38-\U00010a3f\U00010ae5-\U00010ae6\U00010d24-\U00010d27\U00010eab-\U00010eac\U00010f46-\U00010f50\U00010f82-\U00010f85\U00011046\U00011070\U0001107f\U000110b9-\U000110ba\U00011100-\U00011102\U00011133-\U00011134\U00011173\U000111c0\U000111ca\U00011235-\U00011236\U000112e9-\U000112ea\U0001133b-\U0001133c\U0001134d\U00011366-\U00011374\U00011442-\U00011446\U0001145e\U000114c2-\U000114c3\U000115bf-\U000115c0\U0001163f\U000116b6-\U000116b7\U0001172b\U00011839-\U0001183a\U0001193d-\U0001193e\U00011943\U000119e0\U00011a34\U00011a47\U00011a99\U00011c3f\U00011d42-\U00011d45\U00011d97\U00016af0-\U00016af4\U00016b30-\U00016b36\U00016ff0-\U00016ff1\U0001bc9e\U0001d165-\U0001d169\U0001d16d-\U0001d172\U0001d17b-\U0001d182\U0001d185-\U0001d18b\U0001d1aa-\U0001d1ad\U0001d242-\U0001d244\U0001e000-\U0001e02a\U0001e130-\U0001e136\U0001e2ae\U0001e2ec-\U0001e2ef\U0001e8d0-\U0001e8d6\U0001e944-\U0001e94a`

/** The longest text that is folded: of 4,000 Korean syllables, which are taken apart, and the name of a file. */
const maxFolded = 13_000

/** Punctuation and signs outside of ASCII. */
const signs = String.raw`\u0080-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u02c2-\u02df\u037e\u0387\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05c6\u05f3\u05f4\u0600-\u060f\u061b-\u061f\u066a-\u066d\u06d4\u0700-\u070f\u0964\u0965\u0970\u0df4\u0e3f\u0e4f\u0e5a\u0e5b\u0f04-\u0f14\u0f3a-\u0f3d\u104a-\u104f\u10fb\u1361-\u1368\u1680\u16eb-\u16ed\u17d4-\u17d6\u17d8-\u17db\u1800-\u180a\u2000-\u206f\u20a0-\u20cf\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u30a0\u30fb\ua4fe\ua4ff\ufd3e\ufd3f\ufe10-\ufe19\ufe30-\ufe6f\ufff9-\ufffd`

/** Letters of scripts that have no spaces between words, syllables of Korean, symbols and emoji. */
const single = String.raw`\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2190-\u2bff\u2e80-\u2fdf\u3005-\u3007\u3021-\u30ff\u3100-\u31ff\u3220-\u32ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b16f\U0001f000-\U0001faff\U00020000-\U0003ffff`

/** Makes `words` those of a content and the name of a file, folded, with spaces around each. */
const foldWords = `
    if attachment is not null then
      words := words || ' ' || coalesce(attachment ->> 'filename', '');
    end if;
    if octet_length(words) <> length(words) then
      words := regexp_replace(regexp_replace(words, '[${marks}]', '', 'g'), '[${ordered}]{32,}', '', 'g');
      words := left(normalize(words, NFKD), ${maxFolded});
      words := normalize(regexp_replace(words, '[${marks}]', '', 'g'), NFKC);
      words := translate(words, 'ØøŁłĐđÐðıĦħŦŧς', 'oollddddihhttσ');
      words := replace(replace(replace(replace(words, 'ß', 'ss'), 'ẞ', 'ss'), 'æ', 'ae'), 'Æ', 'ae');
      words := replace(replace(replace(replace(words, 'œ', 'oe'), 'Œ', 'oe'), 'þ', 'th'), 'Þ', 'th');
      words := regexp_replace(regexp_replace(words, '[${signs}]+', ' ', 'g'), '([${single}])', ' \\1 ', 'g');
    end if;
    words := ' ' || regexp_replace(lower(words), '[${asciiSigns}]+', ' ', 'g') || ' ';
    if strpos(words, '  ') > 0 then
      words := replace(replace(replace(words, ' ', E' \\x01'), E'\\x01 ', ''), E'\\x01', '');
    end if;`

const searchText = sql.raw(`
  create function search_text(content text, attachment jsonb) returns text
  language plpgsql immutable parallel safe as $function$
  declare
    words text := content;
  begin ${foldWords}
    return words;
  end $function$`)

/** `varchar(6)[]` cuts each word to its first six letters, in a fraction of the time of a regular expression. */
const searchKeys = sql.raw(`
  create function search_keys(content text, attachment jsonb, mentions bigint[], others text[]) returns tsvector
  language plpgsql immutable parallel safe as $function$
  declare
    words text := content;
    parts text[];
    keys text[];
  begin ${foldWords}
    if octet_length(words) <> length(words) and words ~ '[${single}] [${single}]' then
      words := rtrim(words) || rtrim(regexp_replace(words, '([${single}]) ([${single}])', '\\1\\2', 'g'))
        || regexp_replace(
          regexp_replace(words, '((?:^|[^${single}]) )[${single}] (?=[${single}])', '\\1', 'g'),
          '([${single}]) ([${single}])', '\\1\\2', 'g');
    end if;
    parts := string_to_array(btrim(words), ' ');
    keys := parts::varchar(4)[]::text[] || parts::varchar(6)[]::text[];
    if octet_length(words) > 400 then
      keys := (tsvector_to_array(array_to_tsvector(keys)))[:400];
    end if;
    if attachment is not null then
      keys := keys || 'has file'::text;
      if attachment ->> 'content_type' like 'image/%' then
        keys := keys || 'has picture'::text;
      end if;
    end if;
    if mentions <> '{}' then
      keys := keys || 'has mention'::text;
    end if;
    if strpos(content, '://') > 0 then
      keys := keys || 'has link'::text;
    end if;
    return array_to_tsvector(keys || others);
  end $function$`)

const others = sql`array[
  'room ' || room_id::text, 'author ' || author_id::text,
  'hours ' || coalesce(house_id, room_id)::text || ' ' || (id >> 45)::text,
  'days ' || coalesce(house_id, room_id)::text || ' ' || (id >> 51)::text]`
const parts = sql`search_keys(content, attachment, mentions, ${others})`
const wholeWords = sql`(case when octet_length(content) <= 400 then to_tsvector('simple', content)
  else array_to_tsvector((tsvector_to_array(to_tsvector('simple', content)))[:400]) end) || array_to_tsvector(${others})`

const otherKeys =
  'room, author and two spans of time of the house or private room are entries as well, with a space, which no word has'

export async function up(db: Kysely<unknown>): Promise<void> {
  await searchText.execute(db)
  await searchKeys.execute(db)
  await sql`comment on function search_text is
    'the folded words of a message and the name of its file, with a space around each; a letter of a script without spaces, a Korean syllable or an emoji is a word'`.execute(
    db,
  )
  await sql`comment on function search_keys is
    'up to 400 entries of a search index: of a word the first four and the first six letters, of single letters each one and each pair'`.execute(
    db,
  )
  await distributeFunctions(db)
  await replaceIndex(
    db,
    parts,
    `up to 400 beginnings of words (function search_keys), what a message has; ${otherKeys}`,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await replaceIndex(
    db,
    wholeWords,
    'up to 400 different words of a content, the first by their letters; room, author and two spans of time of the house or private room are words as well, with a space, which no word of a content has',
  )
  await sql`drop function search_keys, search_text`.execute(db)
}

/** Keeps the name of the index: processes of the version before empty its list of pending messages. */
async function replaceIndex(
  db: Kysely<unknown>,
  indexed: ReturnType<typeof sql>,
  comment: string,
): Promise<void> {
  const { rows } = await sql<{ options: string }>`
    select coalesce('with (' || array_to_string(reloptions, ', ') || ')', '') as options
    from pg_class where oid = 'messages_search_by_time'::regclass`.execute(db)
  await sql`create index messages_search_new on messages using gin ((${indexed})) ${sql.raw(rows[0]!.options)}`.execute(
    db,
  )
  await sql`drop index messages_search_by_time`.execute(db)
  await sql`alter index messages_search_new rename to messages_search_by_time`.execute(db)
  await sql`comment on index messages_search_by_time is ${sql.lit(comment)}`.execute(db)
}

/** Where messages are distributed by Citus, the workers need the functions before they build an index with them. */
async function distributeFunctions(db: Kysely<unknown>): Promise<void> {
  const extension = await sql`select from pg_extension where extname = 'citus'`.execute(db)
  if (extension.rows.length === 0) return
  const distributed =
    await sql`select from pg_dist_partition where logicalrelid = 'messages'::regclass`.execute(db)
  if (distributed.rows.length === 0) return
  await sql`select create_distributed_function('search_text(text, jsonb)')`.execute(db)
  await sql`select create_distributed_function('search_keys(text, jsonb, bigint[], text[])')`.execute(db)
}
