import { expect, test } from 'vitest'
import { admin, call, failure, uniqueName, user } from '../support/world.ts'

const ruler = await admin()

test('pages go by id, and q is an id or a part of a name or address in any case', async () => {
  const paged = uniqueName('paged')
  const made = []
  for (const name of ['one', 'two', 'three']) {
    made.push(
      await user({
        username: `${paged}-${name}`,
        name: `Pá${paged} ${name}`,
        email: `${name}@${paged}.example`,
      }),
    )
  }
  const list = async (query: string) => {
    const { body } = await call(ruler, 'GET', `/admin/users?${query}`)
    return body.data.map((each: { user: { id: string } }) => each.user.id)
  }
  const ids = made.map(({ id }) => id)
  expect(await list(`q=${paged.toUpperCase()}-`)).toEqual(ids)
  expect(await list(`q=${encodeURIComponent(`pá${paged}`)}`)).toEqual(ids)
  expect(await list(`q=@${paged.toUpperCase()}.example`)).toEqual(ids)
  expect(await list(`q=${paged}-&limit=2`)).toEqual(ids.slice(0, 2))
  expect(await list(`q=${paged}-&after=${ids[1]}`)).toEqual([ids[2]])
  expect(await list(`q=${ids[1]}`)).toEqual([ids[1]])
  expect(await list(`q=${paged}%25`)).toEqual([])
})

test.each(['limit=0', 'limit=101', 'limit=x', 'after=x', 'q=%00', `q=${'x'.repeat(65)}`])(
  'a query of %s is refused',
  async (query) => {
    const answer = await call(ruler, 'GET', `/admin/users?${query}`)
    const field = query.split('=')[0]
    expect(answer.body).toEqual(failure('invalid_schema', `Invalid fields (${field})`))
  },
)
