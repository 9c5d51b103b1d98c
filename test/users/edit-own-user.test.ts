import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eraseDiscarded } from '../../src/storage/discard.ts'
import { picture, svg } from '../support/pictures.ts'
import {
  call,
  db,
  failure,
  folder,
  house,
  noAuth,
  type Person,
  published,
  store,
  user,
} from '../support/world.ts'

const edit = (caller: Person | null, body: unknown) => call(caller, 'PATCH', '/users/@me', body)
const invalid = (...names: string[]) => failure('invalid_schema', `Invalid fields (${names.join(', ')})`)
const usernameTaken = failure('username_taken', 'That username is already taken')
const noIcon = failure('invalid_icon_file_format', 'Your icon must be an image')
const noHeader = failure('invalid_header_file_format', 'Your header must be an image')
const rowOf = (person: Person) =>
  db.selectFrom('users').selectAll().where('id', '=', person.id).executeTakeFirstOrThrow()
const sent = async (...size: Parameters<typeof picture>) => (await picture(...size)).toString('base64')
const lies = (person: Person, kind: 'icons' | 'headers', file: string) =>
  existsSync(join(folder, 'files/users', person.id, kind, file))
const asFile = expect.stringMatching(/^[0-9a-f]{40}\.webp$/)

test('editing the own user answers the full user, updated, and tells self and houses', async () => {
  const ann = await user({ email: 'ann@example.org' })
  const den = await house({ owner: ann })
  const cave = await house({ owner: await user(), members: [ann] })
  await house({ owner: await user() })
  published.length = 0
  const fields = {
    location: 'Zürich 🏔',
    username: 'Ann.Other',
    website: 'https://example.org/ann',
    bio: 'one\ntwo',
    name: 'Ann O.',
  }
  const answer = await edit(ann, { ...fields, header: await sent(), icon: await sent('jpeg') })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    success: true,
    data: {
      ...fields,
      username: 'ann.other',
      id: ann.id,
      icon: asFile,
      header: asFile,
      flags: 0,
      bot: false,
      email: 'ann@example.org',
      email_verified: false,
      mfa_enabled: false,
    },
  })
  const { icon, header } = answer.body.data
  expect(await rowOf(ann)).toMatchObject({ ...fields, username: 'ann.other', icon, header })
  expect(lies(ann, 'icons', icon)).toBe(true)
  expect(lies(ann, 'headers', header)).toBe(true)
  expect(published).toEqual([
    { type: 'user_updated', user_id: ann.id, only_self: false },
    { type: 'member_updated', house_id: den.id, user_id: ann.id },
    { type: 'member_updated', house_id: cave.id, user_id: ann.id },
  ])
  expect(await db.selectFrom('discarded_files').selectAll().execute()).toEqual([])
})

test('editing one field leaves the others', async () => {
  const ann = await user()
  await edit(ann, { bio: 'a', location: 'b', website: 'http://c.example' })
  const answer = await edit(ann, { bio: '' })
  expect(answer.body.data).toMatchObject({ bio: '', location: 'b', website: 'http://c.example' })
})

test('editing without a token, or with a faulty one, answers no_auth before the body is looked at', async () => {
  const ann = await user()
  for (const authorization of ['', ann.token.slice(2)]) {
    const answer = await call(null, 'PATCH', '/users/@me', { bio: 5 }, { headers: { authorization } })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(noAuth)
  }
})

test('no body, an empty one, {} or null answers invalid_schema', async () => {
  const ann = await user()
  const type = { 'content-type': 'application/json' }
  for (const payload of [undefined, '', ' ', '{}', 'null']) {
    const answer = await call(ann, 'PATCH', '/users/@me', undefined, { headers: type, payload })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(failure('invalid_schema', 'JSON body cannot be empty'))
  }
})

test('only unknown fields answer the unchanged user and tell nobody', async () => {
  const ann = await user()
  published.length = 0
  const before = await call(ann, 'GET', '/users/@me')
  const body =
    '{"usrname":"other","flags":7,"id":"1","bot":true,"email":"x@y.example","email_verified":true,"__proto__":{"bio":"x"},"constructor":1,"public":true}'
  const answer = await call(ann, 'PATCH', '/users/@me', undefined, {
    payload: body,
    headers: { 'content-type': 'application/json' },
  })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual(before.body)
  expect(await rowOf(ann)).toMatchObject({ public: false, flags: 0 })
  expect(published).toEqual([])
})

test('an unknown field beside a known one is ignored, and the known one applied', async () => {
  const ann = await user()
  expect((await edit(ann, { biography: 'x', bio: 'y' })).body.data).toMatchObject({ bio: 'y' })
})

test('an edit that changes nothing tells nobody', async () => {
  const ann = await user()
  const icon = await sent()
  await edit(ann, { bio: 'same', icon })
  published.length = 0
  const answer = await edit(ann, { bio: 'same', icon, username: ann.username.toUpperCase(), header: null })
  expect(answer.status).toBe(200)
  expect(published).toEqual([])
})

test.each([
  ['location', 5],
  ['location', null],
  ['location', 'x'.repeat(65)],
  ['location', 'two\nlines'],
  ['username', 'ab'],
  ['username', 'x'.repeat(33)],
  ['username', '1234'],
  ['username', '.ann'],
  ['username', 'ann-'],
  ['username', 'a n n'],
  ['username', 'änn'],
  ['username', 'ann\n'],
  ['username', null],
  ['website', 'example.org'],
  ['website', 'ftp://example.org'],
  ['website', 'javascript:alert(1)'],
  ['website', 'https://'],
  ['website', `https://example.org/${'x'.repeat(256)}`],
  ['bio', 'x'.repeat(513)],
  ['bio', 'bell\u0007'],
  ['bio', ['a']],
  ['header', 5],
  ['header', {}],
  ['icon', true],
  ['icon', 'AA\u0000AA='],
  ['name', ''],
  ['name', '   '],
  ['name', 'x'.repeat(65)],
  ['name', null],
  ['name', 'a\u0000b'],
])('a %s of %j answers invalid_schema and changes nothing', async (field, value) => {
  const ann = await user()
  const before = await rowOf(ann)
  const answer = await edit(ann, { ...(field === 'bio' ? { location: 'x' } : { bio: 'x' }), [field]: value })
  expect(answer.status).toBe(400)
  expect(answer.body).toEqual(invalid(field))
  expect(await rowOf(ann)).toEqual(before)
})

test('limits count code points, and the longest of each is taken', async () => {
  const ann = await user()
  const longest = {
    location: '🏔'.repeat(64),
    username: 'u'.repeat(32),
    website: `https://example.org/${'x'.repeat(236)}`,
    bio: '🔥'.repeat(512),
    name: '🙂'.repeat(64),
  }
  const answer = await edit(ann, longest)
  expect(answer.status).toBe(200)
  expect(answer.body.data).toMatchObject(longest)
})

test('several wrong fields are named in the order of the contract', async () => {
  const ann = await user()
  const answer = await edit(ann, {
    name: '',
    icon: 1,
    header: 1,
    bio: 1,
    website: 1,
    username: 1,
    location: 1,
  })
  expect(answer.body).toEqual(invalid('location', 'username', 'website', 'bio', 'header', 'icon', 'name'))
})

test('a string of megabytes is too long, and no more than that', async () => {
  const ann = await user()
  const long = ' x'.repeat(3 * 1024 * 1024)
  for (const field of ['location', 'username', 'website', 'bio', 'name']) {
    const answer = await edit(ann, { [field]: long })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(invalid(field))
  }
})

test('a reserved username is taken', async () => {
  const ann = await user()
  for (const username of ['admin', 'ADMIN', 'hearth', 'undefined', 'deleted-1x', 'Deleted-user']) {
    const answer = await edit(ann, { username, bio: 'x' })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(usernameTaken)
  }
  expect(await rowOf(ann)).toMatchObject({ bio: '' })
})

test('a username in use is taken, in any case, and the own present one is not', async () => {
  const [ann, bob] = [await user({ username: 'ann1' }), await user({ username: 'bob1' })]
  for (const username of ['bob1', 'BOB1']) expect((await edit(ann, { username })).body).toEqual(usernameTaken)
  expect((await edit(bob, { username: 'Bob1', bio: 'b' })).body.data).toMatchObject({
    username: 'bob1',
    bio: 'b',
  })
})

test('the own present username may be a reserved one', async () => {
  const ann = await user({ username: 'support' })
  expect((await edit(ann, { username: 'support', bio: 'b' })).body.data).toMatchObject({
    username: 'support',
  })
})

test('of many who want a username at once, one gets it', async () => {
  const people = await Promise.all(Array.from({ length: 12 }, () => user()))
  const answers = await Promise.all(people.map((person) => edit(person, { username: 'wanted' })))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const refusals = answers.filter(({ status }) => status !== 200).map(({ body }) => body)
  expect(refusals).toEqual(Array(11).fill(usernameTaken))
})

test('what is no picture, or faulty base64, refuses the whole edit', async () => {
  const ann = await user()
  const good = await sent()
  for (const bad of ['', 'no base64', svg.toString('base64'), 'data:image/png,AAAA', good.slice(0, 200)]) {
    expect((await edit(ann, { bio: 'x', header: good, icon: bad })).body).toEqual(noIcon)
    expect((await edit(ann, { bio: 'x', header: bad, icon: good })).body).toEqual(noHeader)
  }
  expect(await rowOf(ann)).toMatchObject({ bio: '', icon: null, header: null })
})

test('pictures are judged after the fields and before the username', async () => {
  const ann = await user()
  expect((await edit(ann, { icon: 'no base64', bio: 5 })).body).toEqual(invalid('bio'))
  expect((await edit(ann, { icon: 'no base64', username: 'admin' })).body).toEqual(noIcon)
})

test('a data URL and base64 with line breaks are taken', async () => {
  const ann = await user()
  const base64 = await sent()
  const lines = base64.replace(/.{76}/g, '$&\r\n')
  const icons = [base64, `data:text/html;base64,${base64}`, lines, `data:image/png;base64,${lines}`]
  const files = new Set<string>()
  for (const icon of icons) files.add((await edit(ann, { icon })).body.data.icon)
  expect(files.size).toBe(1)
})

test('null removes a picture, which is erased then', async () => {
  const ann = await user()
  const { icon, header } = (await edit(ann, { icon: await sent(), header: await sent() })).body.data
  const answer = await edit(ann, { icon: null })
  expect(answer.body.data).toMatchObject({ icon: null, header })
  await eraseDiscarded(db, store)
  expect(lies(ann, 'icons', icon)).toBe(false)
  expect(lies(ann, 'headers', header)).toBe(true)
})

test('a picture of more than 8 MiB is too large, and a body of more than 12 MiB', async () => {
  const ann = await user()
  const tooLarge = failure('payload_too_large', 'The request is too large')
  const body = { icon: 'A'.repeat(11_184_816) }
  for (const each of [body, { icon: 'A'.repeat(12 * 1024 * 1024) }, { header: body.icon }]) {
    const answer = await edit(ann, each)
    expect(answer.status).toBe(413)
    expect(answer.body).toEqual(tooLarge)
  }
  const most = { bio: 'b', padding: 'x'.repeat(12 * 1024 * 1024 - '{"bio":"b","padding":""}'.length) }
  expect((await edit(ann, most)).status).toBe(200)
})

test('the type must be JSON', async () => {
  const ann = await user()
  for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded']) {
    const more = { headers: { 'content-type': type }, payload: '{"bio":"x"}' }
    const answer = await call(ann, 'PATCH', '/users/@me', undefined, more)
    expect(answer.status).toBe(415)
    expect(answer.body).toEqual(failure('internal_server_error', 'Something went wrong internally'))
  }
})

test('a bot may edit itself', async () => {
  const bot = await user({ bot_of: await user() })
  expect((await edit(bot, { bio: 'beep' })).body.data).toMatchObject({ id: bot.id, bio: 'beep', email: '' })
})

test('more pictures at once than are waited for answer unavailable, and leave nothing behind', async () => {
  // One caller alone may not send so much at a time.
  const people = await Promise.all(Array.from({ length: 30 }, () => user()))
  const icons = await Promise.all(people.map(() => sent('png', { width: 900, height: 900 })))
  const answers = await Promise.all(people.map((person, index) => edit(person, { icon: icons[index] })))
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(18)
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused.length).toBeGreaterThan(0)
  for (const { status, headers, body } of refused) {
    expect(status).toBe(503)
    expect(headers['retry-after']).toBe('1')
    expect(body).toEqual(failure('unavailable', 'The service is temporarily unavailable'))
  }
  while ((await eraseDiscarded(db, store)) > 0);
  for (const [index, person] of people.entries()) {
    const { status, body } = answers[index]!
    const { icon } = await rowOf(person)
    expect(icon).toBe(status === 200 ? body.data.icon : null)
    if (icon !== null) expect(lies(person, 'icons', icon)).toBe(true)
  }
  const listed = await db
    .selectFrom('discarded_files')
    .select('name')
    .where('name', 'like', 'users/%')
    .execute()
  expect(listed.filter(({ name }) => people.some(({ id }) => name.startsWith(`users/${id}/`)))).toEqual([])
}, 60_000)
