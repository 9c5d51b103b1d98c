import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '../../src/ids.ts'
import { untilWaitingLong } from '../support/search.ts'
import { db, houseRoom, message } from '../support/world.ts'
import { expectAccessible, messageOf, openPage, twoInHouse } from './support.ts'

test('finds messages in a room and in the whole house, and goes to one among many', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const random = await houseRoom(den, { name: 'random' })
  await message(den.room_id, bob, { content: 'a needle in general' })
  for (let count = 0; count < 70; count += 1) await message(den.room_id, bob, { content: `hay ${count}.` })
  await message(random, bob, { content: 'another needle in random' })
  const page = await openPage(path, { as: ann })
  await messageOf(page, 'hay 69.').waitFor()
  await page.getByRole('button', { name: 'Search' }).click()
  const dialog = page.getByRole('dialog', { name: 'Search' })
  const field = dialog.getByRole('searchbox', { name: 'Search' })
  await field.fill('nowhere')
  await field.press('Enter')
  await dialog.getByText('Nothing found.').waitFor()

  await field.fill('needle')
  await field.press('Enter')
  const hits = dialog.getByRole('list', { name: 'Hits' }).getByRole('listitem')
  await hits.filter({ hasText: 'in general' }).waitFor()
  expect(await hits.count()).toBe(1)
  await dialog.getByLabel('Where').selectOption({ label: 'Search in Den' })
  await field.press('Enter')
  await hits.filter({ hasText: 'in random' }).waitFor()
  await expectAccessible(page)

  await hits.filter({ hasText: 'in general' }).getByRole('link').click()
  await dialog.waitFor({ state: 'detached' })
  const found = messageOf(page, 'a needle')
  await found.waitFor()
  await expect.poll(() => found.getAttribute('data-target')).toBe('')
})

test('continues a search that ended before all messages were searched', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  await message(den.room_id, bob, { content: 'a needle below the hay' })
  await sql`
    insert into messages (room_id, house_id, id, author_id, device_id, content)
    select ${den.room_id}, ${den.id}, ${newId()}::bigint + n, ${bob.id}, ${bob.session_id}, 'hay'
    from generate_series(1, 300) as n`.execute(db)
  await message(den.room_id, bob, { content: 'the last straw' })
  const page = await openPage(path, { as: ann })
  await messageOf(page, 'the last straw').waitFor()
  await page.getByRole('button', { name: 'Search' }).click()
  const dialog = page.getByRole('dialog', { name: 'Search' })
  const field = dialog.getByRole('searchbox', { name: 'Search' })
  await field.fill('needle')
  await db.transaction().execute(async (trx) => {
    await sql`lock table messages in access exclusive mode`.execute(trx)
    await field.press('Enter')
    await untilWaitingLong()
  })
  await dialog.getByText('Nothing found yet. Older messages have not been searched.').waitFor()
  await dialog.getByRole('button', { name: 'More' }).click()
  await dialog.getByRole('list', { name: 'Hits' }).getByText('a needle below the hay').waitFor()
  expect(await dialog.getByRole('button', { name: 'More' }).count()).toBe(0)
})
