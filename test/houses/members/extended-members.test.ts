import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { told } from '../../support/permissions.ts'
import { call, house, type Person, role, user } from '../../support/world.ts'

const { EVICT_MEMBERS, KICK_MEMBERS, MANAGE_BOTS, MANAGE_ROLES } = permission

async function scene() {
  const [ann, ben] = [await user(), await user()]
  const bot = await user({ bot_of: ben })
  const den = await house({ owner: ann, members: [ben, bot] })
  const at = `/houses/${den.id}/members`
  /** The owners by member, as the list shows them, and as the members show them one by one. */
  const owners = async (caller: Person) => {
    const list = (await call(caller, 'GET', `${at}?extended=true`)).body.data
    for (const member of list) {
      const one = await call(caller, 'GET', `${at}/${member.id}?extended=true`)
      expect(one.body.data).toEqual(member)
    }
    return list.map((member: { id: string; owner_id: string | null }) => [member.id, member.owner_id])
  }
  return { ann, ben, bot, den, at, owners }
}

test('an extended client sees whose a bot is, if it may moderate', async () => {
  const { ann, ben, bot, den, owners } = await scene()
  const shown = [
    [ann.id, null],
    [ben.id, null],
    [bot.id, ben.id],
  ]
  expect(await owners(ann)).toEqual(shown)
  const hidden = shown.map(([id]) => [id, null])
  expect(await owners(ben)).toEqual(hidden)
  for (const [allow, expected] of [
    [MANAGE_ROLES, hidden],
    [MANAGE_BOTS, shown],
    [KICK_MEMBERS, shown],
    [EVICT_MEMBERS, shown],
  ] as const) {
    const id = await role(den, { allow, members: [ben] })
    expect(await owners(ben)).toEqual(expected)
    await call(ann, 'DELETE', `/houses/${den.id}/roles/${id}`)
  }
})

test('other clients see no key more, and another value is refused', async () => {
  const { ann, bot, at } = await scene()
  for (const query of ['', '?extended=false']) {
    const list = (await call(ann, 'GET', at + query)).body.data
    const one = (await call(ann, 'GET', `${at}/${bot.id}${query}`)).body.data
    expect([...list, one].filter((member) => Object.keys(member).length !== 8)).toEqual([])
  }
  for (const path of [at, `${at}/${bot.id}`]) {
    expect(told(await call(ann, 'GET', `${path}?extended=yes`))).toMatchObject([
      400,
      { error: { code: 'invalid_schema' } },
    ])
  }
})
