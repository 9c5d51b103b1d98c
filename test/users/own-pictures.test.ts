import { expect, test, vi } from 'vitest'
import { eraseDiscarded } from '../../src/storage/discard.ts'
import { editOwnUser, isStored, pictureText, rowOf } from '../support/own-user.ts'
import { invalid } from '../support/permissions.ts'
import { animation, svg } from '../support/pictures.ts'
import { isDiscarded, listDiscarded } from '../support/store.ts'
import { app, call, db, failure, store, user } from '../support/world.ts'

const noIcon = failure('invalid_icon_file_format', 'Your icon must be an image')
const noHeader = failure('invalid_header_file_format', 'Your header must be an image')

test('a wrong picture or faulty base64 refuses the whole update', async () => {
  const ann = await user()
  const good = await pictureText()
  for (const bad of ['', 'no base64', svg.toString('base64'), 'data:image/png,AAAA', good.slice(0, 200)]) {
    expect((await editOwnUser(ann, { bio: 'x', header: good, icon: bad })).body).toEqual(noIcon)
    expect((await editOwnUser(ann, { bio: 'x', header: bad, icon: good })).body).toEqual(noHeader)
  }
  expect(await rowOf(ann)).toMatchObject({ bio: '', icon: null, header: null })
})

test('pictures are checked after the fields and before the username', async () => {
  const ann = await user()
  expect((await editOwnUser(ann, { icon: 'no base64', bio: 5 })).body).toEqual(invalid('bio'))
  expect((await editOwnUser(ann, { icon: 'no base64', username: 'admin' })).body).toEqual(noIcon)
})

test('a data URL and base64 with line breaks are accepted', async () => {
  const ann = await user()
  const base64 = await pictureText()
  const lines = base64.replace(/.{76}/g, '$&\r\n')
  const icons = [base64, `data:text/html;base64,${base64}`, lines, `data:image/png;base64,${lines}`]
  const files = new Set<string>()
  for (const icon of icons) files.add((await editOwnUser(ann, { icon })).body.data.icon)
  expect(files.size).toBe(1)
})

test('null removes and erases a picture', async () => {
  const ann = await user()
  const { icon, header } = (
    await editOwnUser(ann, { icon: await pictureText(), header: await pictureText() })
  ).body.data
  const answer = await editOwnUser(ann, { icon: null })
  expect(answer.body.data).toMatchObject({ icon: null, header })
  while (await isDiscarded(`users/${ann.id}/icons/${icon}`)) await eraseDiscarded(db, store)
  expect(isStored(ann, 'icons', icon)).toBe(false)
  expect(isStored(ann, 'headers', header)).toBe(true)
})

test('a picture over 8 MiB and a body over 12 MiB answer payload_too_large', async () => {
  const ann = await user()
  const tooLarge = failure('payload_too_large', 'The request is too large')
  const body = { icon: 'A'.repeat(11_184_816) }
  for (const each of [body, { icon: 'A'.repeat(12 * 1024 * 1024) }, { header: body.icon }]) {
    const answer = await editOwnUser(ann, each)
    expect(answer.status).toBe(413)
    expect(answer.body).toEqual(tooLarge)
  }
  const most = { bio: 'b', padding: 'x'.repeat(12 * 1024 * 1024 - '{"bio":"b","padding":""}'.length) }
  expect((await editOwnUser(ann, most)).status).toBe(200)
})

test('more waiting pictures than allowed answer unavailable and leave no file', async () => {
  // Small pictures: larger bodies would wait before they are read.
  const people = await Promise.all(Array.from({ length: 50 }, () => user()))
  const icons = await Promise.all(people.map(() => pictureText('png', { width: 200, height: 200 })))
  const answers = await Promise.all(
    people.map((person, index) => editOwnUser(person, { icon: icons[index] })),
  )
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(33)
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused.length).toBeGreaterThan(0)
  for (const { status, headers, body } of refused) {
    expect(status).toBe(503)
    expect(headers['retry-after']).toBe('1')
    expect(body).toEqual(failure('unavailable', 'The service is temporarily unavailable'))
  }
  const listed = async () => {
    await eraseDiscarded(db, store)
    const names = await listDiscarded()
    return names.filter((name) => people.some(({ id }) => name.startsWith(`users/${id}/`)))
  }
  await expect.poll(listed).toEqual([])
  for (const [index, person] of people.entries()) {
    const { status, body } = answers[index]!
    const { icon } = await rowOf(person)
    expect(icon).toBe(status === 200 ? body.data.icon : null)
    if (icon !== null) expect(isStored(person, 'icons', icon)).toBe(true)
  }
})

test('a logout while a picture is made leaves the profile as it was', async () => {
  const ann = await user()
  const icon = (await animation('gif', 40, { width: 400, height: 400 })).toString('base64')
  const begun = vi.spyOn(app, 'pictureBudget')
  const editing = editOwnUser(ann, { bio: 'late', icon })
  await expect.poll(() => begun.mock.calls.length, { interval: 5 }).toBe(1)
  expect((await call(ann, 'POST', '/auth/logout')).status).toBe(204)
  expect((await editing).body.error.code).toBe('no_auth')
  expect(await rowOf(ann)).toMatchObject({ bio: '', icon: null })
})
