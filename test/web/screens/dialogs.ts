import type { Page } from 'playwright-core'
import type { Scene } from './scene.ts'
import { click, type Screen, see, seeText } from './screen.ts'

/** What opens above the page. */
export function dialogScreens({ ann, den, crew }: Scene): Screen[] {
  const general = { as: ann, path: `/app/houses/${den.id}/rooms/${den.room_id}` }
  const ready = seeText('I put the dates')
  const inRoom = (name: string, show: Screen['show']): Screen => ({
    ...general,
    name,
    show: async (page) => {
      await ready(page)
      await show(page)
    },
  })
  const showMembers = async (page: Page) => {
    const members = page.getByRole('complementary', { name: 'Members' })
    if (page.viewportSize()!.width < 700) await click(page, 'button', 'general: menu')
    if ((await members.count()) === 0) await click(page, 'button', 'Members')
    await members.getByRole('button', { name: 'Bob' }).waitFor()
  }
  /**
   * A house: on a phone its list of rooms, else its first room too, which takes the focus when it is there: an open menu
   * would close.
   */
  const openHouse = async (page: Page) => {
    await page.goto(new URL(`/app/houses/${den.id}`, page.url()).href)
    if (page.viewportSize()!.width < 700) await page.getByRole('button', { name: 'The Den: menu' }).waitFor()
    else await page.locator('textarea:focus').waitFor()
  }
  const inMenu = (item: string) => async (page: Page) => {
    await openHouse(page)
    await click(page, 'button', 'The Den: menu')
    await click(page, 'button', item)
    await page.getByRole('dialog').waitFor()
  }
  return [
    inRoom('members', showMembers),
    inRoom('person', async (page) => {
      await showMembers(page)
      await page.getByRole('complementary').getByRole('button', { name: 'Cat' }).click()
      await see('dialog', 'Cat')(page)
    }),
    inRoom('search', async (page) => {
      await click(page, 'button', 'Search')
      await page.getByRole('searchbox', { name: 'Search' }).fill('the')
      await click(page, 'button', 'Find')
      await page.getByRole('list', { name: 'Hits' }).waitFor()
    }),
    inRoom('switcher', async (page) => {
      await page.keyboard.press('Control+k')
      await see('dialog', 'Go to')(page)
    }),
    inRoom('keys', async (page) => {
      await page.keyboard.press('Control+/')
      await see('dialog', 'Keys')(page)
    }),
    inRoom('lightbox', async (page) => {
      await page.getByRole('img', { name: 'Picture hill.png' }).click()
      await see('dialog', 'hill.png')(page)
    }),
    inRoom('house-menu', async (page) => {
      await openHouse(page)
      await click(page, 'button', 'The Den: menu')
    }),
    inRoom('invite-people', inMenu('Invite people')),
    inRoom('create-room', inMenu('Create a room')),
    inRoom('create-house', async (page) => {
      await openHouse(page)
      await click(page, 'button', 'Create or join a house')
      await click(page, 'button', 'Create a house')
      await see('dialog', 'Create a house')(page)
    }),
    {
      name: 'group-people',
      as: ann,
      path: `/app/private/${crew}`,
      show: async (page) => {
        await seeText('the key of the shed')(page)
        await page.getByRole('main').getByRole('button', { name: /menu$/ }).click()
        await click(page, 'button', 'People in the group')
        await see('dialog', 'People in the group')(page)
      },
    },
    {
      name: 'create-group',
      as: ann,
      path: '/app/private',
      show: async (page) => {
        await click(page, 'button', 'Create a group')
        await see('dialog', 'Create a group')(page)
      },
    },
  ]
}
