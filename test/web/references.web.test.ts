import { expect, test } from 'vitest'
import { call, houseRoom } from '../support/world.ts'
import { messageOf, openPage, origin, sent, twoInHouse, write } from './support.ts'

test('#rooms are sent as paths, and are links that open in place', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const roomId = await houseRoom(den, { name: 'the garden' })
  const page = await openPage(path, { as: ann })
  const other = await openPage(path, { as: bob })
  const composer = page.getByRole('textbox', { name: 'Message general', exact: true })
  await composer.pressSequentially('see #gard')
  await page.getByRole('option', { name: 'the garden' }).waitFor()
  await composer.press('Enter')
  await composer.pressSequentially('now, not `#general`')
  await composer.press('Enter')
  await messageOf(page, 'see #the garden now').waitFor()
  await messageOf(other, 'see #the garden now').waitFor()
  const [{ content }] = (await call(bob, 'GET', `/rooms/${den.room_id}/messages`)).body.data
  const place = `/app/houses/${den.id}/rooms/${roomId}`
  expect(content).toBe(`see ${place} now, not \`#general\``)

  await other.evaluate('window.stayed = true')
  await messageOf(other, 'see').getByRole('link', { name: '#the garden', exact: true }).click()
  await other.getByRole('textbox', { name: 'Message the garden' }).waitFor()
  expect(await other.evaluate('window.stayed')).toBe(true)
  expect(other.url()).toBe(`${origin}${place}`)
})

test('the address of a message is a link to it, and what is no address of a room stays as it is', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const page = await openPage(path, { as: ann })
  const { body } = await call(bob, 'POST', `/rooms/${den.room_id}/messages`, { content: 'first' })
  const first = `${origin}${path}?message=${body.data.id}`
  const unknown = `${origin}/app/houses/${den.id}/rooms/1`
  for (const content of [first, unknown, `[named](${origin}${path})`]) {
    await call(bob, 'POST', `/rooms/${den.room_id}/messages`, { content })
  }
  await messageOf(page, unknown).getByRole('link', { name: unknown }).waitFor()
  await messageOf(page, 'named').getByRole('link', { name: 'named', exact: true }).waitFor()
  await messageOf(page, 'Message in').getByRole('link', { name: 'Message in #general' }).click()
  await page.waitForURL(first)
})

test('a message is edited with the names that were written, and completes further ones', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const gardenId = await houseRoom(den, { name: 'garden' })
  const page = await openPage(path, { as: ann })
  const members = page.getByRole('complementary', { name: 'Members' })
  await members.getByRole('button', { name: 'Bob' }).waitFor()
  const former = `hello, see ${origin}/app/houses/${den.id}/rooms/${gardenId}.`
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: former })
  await messageOf(page, 'hello, see #garden.').waitFor()
  await page.getByRole('textbox', { name: 'Message general' }).press('ArrowUp')
  const formerEditor = page.getByRole('textbox', { name: 'Edit message' })
  expect(await formerEditor.inputValue()).toBe('hello, see #garden.')
  await formerEditor.fill('')
  await formerEditor.press('Escape')
  await write(page, `hi @${bob.username}, see #garden now`)
  const message = messageOf(page, 'hi @Bob, see #garden now')
  await message.waitFor()
  await expect.poll(contents).toContainEqual(expect.stringContaining(`hi <@${bob.id}>, see /app/houses/`))
  await sent(page, 'hi @Bob, see #garden now')
  await page.getByRole('textbox', { name: 'Message general' }).press('ArrowUp')
  const editor = page.getByRole('textbox', { name: 'Edit message' })
  expect(await editor.inputValue()).toBe(`hi @${bob.username}, see #garden now`)
  await editor.pressSequentially(' with @ann'.replace('ann', ann.username))
  await page.getByRole('option', { name: 'Ann' }).waitFor()
  await editor.press('Enter')
  await editor.press('Enter')
  await messageOf(page, 'hi @Bob, see #garden now with @Ann').getByText('edited').waitFor()
  const [edited] = await contents()
  expect(edited).toMatch(new RegExp(`^hi <@${bob.id}>, see /app/houses/\\S+ now with <@${ann.id}>$`))

  async function contents(): Promise<string[]> {
    const { body } = await call(bob, 'GET', `/rooms/${den.room_id}/messages`)
    return body.data.map((each: { content: string }) => each.content)
  }
})

test('links to a former domain, and to PUBLIC_URL, open in place, and those to its files at the present one', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const roomId = await houseRoom(den, { name: 'garden' })
  const page = await openPage('/app/friends', { as: ann })
  const server = (await call(null, 'GET', '/server')).body
  const addresses = ['https://chat.example', 'http://old.example:8080']
  await page.route('**/server', (route) =>
    route.fulfill({ json: { ...server, data: { ...server.data, addresses } } }),
  )
  const place = `/app/houses/${den.id}/rooms/${roomId}`
  await call(bob, 'POST', `/rooms/${den.room_id}/messages`, {
    content: `one https://old.example:8080${place} two http://chat.example${path} [three](http://old.example:8080/app/invite/x)
      [four](http://old.example:8080/v1/attachments/1/2/a.txt?key=3) [five](https://other.example${place})`,
  })
  await page.getByRole('link', { name: 'Den' }).click()
  const message = messageOf(page, 'one')
  await message.getByRole('link', { name: '#garden', exact: true }).waitFor()
  const hrefs = await message
    .getByRole('link')
    .evaluateAll((links) => links.map((each) => (each as unknown as { href: string }).href))
  expect(hrefs).toEqual([
    ...[`${origin}${place}`, `${origin}${path}`, `${origin}/app/invite/x`],
    ...[`${origin}/v1/attachments/1/2/a.txt?key=3`, `https://other.example${place}`],
  ])
  await page.evaluate('window.stayed = true')
  await message.getByRole('link', { name: '#garden', exact: true }).click()
  await page.getByRole('textbox', { name: 'Message garden' }).waitFor()
  expect(await page.evaluate('window.stayed')).toBe(true)
})
