import { expect, test } from 'vitest'
import { editOwnUser, isStored, pictureText, rowOf } from '../support/own-user.ts'
import { invalid } from '../support/permissions.ts'
import { publishedAbout } from '../support/published.ts'
import { isDiscarded } from '../support/store.ts'
import { call, failure, house, uniqueName, user } from '../support/world.ts'

const asFile = expect.stringMatching(/^[0-9a-f]{40}\.webp$/)

test('an update returns the updated user, and sends events to self and houses', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const cave = await house({ owner: await user(), members: [ann] })
  await house({ owner: await user() })
  const username = uniqueName('Ann.Other')
  const fields = {
    location: 'Zürich 🏔',
    username,
    website: 'https://example.org/ann',
    bio: ' one\r\n\ttwo é e\u0301\u200b ',
    name: 'Ann O.',
  }
  const answer = await editOwnUser(ann, {
    ...fields,
    header: await pictureText(),
    icon: await pictureText('jpeg'),
  })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    success: true,
    data: {
      ...fields,
      username: username.toLowerCase(),
      id: ann.id,
      icon: asFile,
      header: asFile,
      flags: 0,
      bot: false,
      email: `${ann.username}@example.org`,
      email_verified: false,
      mfa_enabled: false,
    },
  })
  const { icon, header } = answer.body.data
  expect(await rowOf(ann)).toMatchObject({ ...fields, username: username.toLowerCase(), icon, header })
  expect(isStored(ann, 'icons', icon)).toBe(true)
  expect(isStored(ann, 'headers', header)).toBe(true)
  expect(publishedAbout(ann.id)).toEqual([
    { type: 'user_updated', user_id: ann.id, only_self: false },
    { type: 'member_updated', house_id: den.id, user_id: ann.id },
    { type: 'member_updated', house_id: cave.id, user_id: ann.id },
  ])
  expect(await isDiscarded(`users/${ann.id}/icons/${icon}`)).toBe(false)
  expect(await isDiscarded(`users/${ann.id}/headers/${header}`)).toBe(false)
})

test('an update of one field keeps the others', async () => {
  const ann = await user()
  await editOwnUser(ann, { bio: 'a', location: 'b', website: 'http://c.example' })
  const answer = await editOwnUser(ann, { bio: '' })
  expect(answer.body.data).toMatchObject({ bio: '', location: 'b', website: 'http://c.example' })
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

test('only unknown fields return the unchanged user and send no event', async () => {
  const ann = await user()
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
  expect(publishedAbout(ann.id)).toEqual([])
})

test('an unknown field beside a known one is ignored, and the known one applied', async () => {
  const ann = await user()
  expect((await editOwnUser(ann, { biography: 'x', bio: 'y' })).body.data).toMatchObject({ bio: 'y' })
})

test('an update that changes nothing sends no event', async () => {
  const ann = await user()
  const icon = await pictureText()
  await editOwnUser(ann, { bio: 'same', icon })
  const before = publishedAbout(ann.id)
  const answer = await editOwnUser(ann, {
    bio: 'same',
    icon,
    username: ann.username.toUpperCase(),
    header: null,
  })
  expect(answer.status).toBe(200)
  expect(publishedAbout(ann.id)).toEqual(before)
})

test.each([
  ['location', 5],
  ['location', null],
  ['location', 'x'.repeat(65)],
  ['location', 'two\nlines'],
  ['location', 'a\u007fb'],
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
  ['website', 'https://example.org '],
  ['website', 'https://example.org/a b'],
  ['website', `https://example.org/${'x'.repeat(256)}`],
  ['bio', 'x'.repeat(513)],
  ['bio', 'bell\u0007'],
  ['bio', 'delete\u007f'],
  ['bio', 'next line\u0085'],
  ['bio', 'half of a pair \ud83d'],
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
  ['name', 'a\tb'],
  ['name', 'a\u009fb'],
])('a %s of %j answers invalid_schema and changes nothing', async (field, value) => {
  const ann = await user()
  const before = await rowOf(ann)
  const answer = await editOwnUser(ann, {
    ...(field === 'bio' ? { location: 'x' } : { bio: 'x' }),
    [field]: value,
  })
  expect(answer.status).toBe(400)
  expect(answer.body).toEqual(invalid(field))
  expect(await rowOf(ann)).toEqual(before)
})

test('limits count code points, and values of the greatest length are accepted', async () => {
  const ann = await user()
  const longest = {
    location: '🏔'.repeat(64),
    username: uniqueName('u'.repeat(32)).slice(-32),
    website: `https://example.org/${'x'.repeat(236)}`,
    bio: '🔥'.repeat(512),
    name: '🙂'.repeat(64),
  }
  const answer = await editOwnUser(ann, longest)
  expect(answer.status).toBe(200)
  expect(answer.body.data).toMatchObject(longest)
})

test('wrong fields are named in the order of docs/api.md', async () => {
  const ann = await user()
  const answer = await editOwnUser(ann, {
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

test('a string of megabytes answers invalid_schema', async () => {
  const ann = await user()
  const long = ' x'.repeat(3 * 1024 * 1024)
  for (const field of ['location', 'username', 'website', 'bio', 'name']) {
    const answer = await editOwnUser(ann, { [field]: long })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(invalid(field))
  }
})

test('a content type other than JSON answers 415', async () => {
  const ann = await user()
  for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded']) {
    const more = { headers: { 'content-type': type }, payload: '{"bio":"x"}' }
    const answer = await call(ann, 'PATCH', '/users/@me', undefined, more)
    expect(answer.status).toBe(415)
    expect(answer.body).toEqual(failure('internal_server_error', 'Something went wrong internally'))
  }
})

test('a bot that updates itself gets its user, without an e-mail address', async () => {
  const bot = await user({ bot_of: await user() })
  expect((await editOwnUser(bot, { bio: 'beep' })).body.data).toMatchObject({
    id: bot.id,
    bio: 'beep',
    email: '',
  })
})
