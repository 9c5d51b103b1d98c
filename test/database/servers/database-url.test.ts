import { describe, expect, test } from 'vitest'
import {
  DatabaseUrlError,
  readDatabaseHosts,
  withDatabase,
} from '../../../src/database/servers/database-url.ts'

const urlsOf = (address: string) => readDatabaseHosts(address)?.hosts.map(({ url }) => url)

test.each([
  'postgres://me:secret@db/hearth',
  'postgresql://me:a,b@db:5433/hearth?sslmode=disable',
  'postgres://me@/hearth?host=/run/postgresql',
  'postgres://me@%2Frun%2Fpostgresql:5433/hearth',
  'postgres://[::1]/hearth',
])('leaves an address with one host as it is: %s', (address) => {
  expect(readDatabaseHosts(address)).toBeUndefined()
})

test('gives each host an address of its own, with the account, database and parameters of all', () => {
  const found = readDatabaseHosts(
    'postgresql://me:p%40ss@one:5433,two,[fd00::3]:5434,%2Frun%2Fpg/hearth?sslmode=disable&target_session_attrs=primary&connect_timeout=3',
  )
  expect(found).toMatchObject({ target: 'primary', connectWithinMs: 3_000 })
  expect(found!.hosts).toEqual([
    {
      name: 'one:5433',
      host: 'one',
      port: 5433,
      url: 'postgresql://me:p%40ss@one:5433/hearth?sslmode=disable',
    },
    {
      name: 'two:5432',
      host: 'two',
      port: 5432,
      url: 'postgresql://me:p%40ss@two:5432/hearth?sslmode=disable',
    },
    {
      name: '[fd00::3]:5434',
      host: 'fd00::3',
      port: 5434,
      url: 'postgresql://me:p%40ss@[fd00::3]:5434/hearth?sslmode=disable',
    },
    {
      name: '/run/pg:5432',
      host: '/run/pg',
      port: 5432,
      url: 'postgresql://me:p%40ss@%2Frun%2Fpg:5432/hearth?sslmode=disable',
    },
  ])
})

test('asks several hosts for the one that may be written, unless the address says otherwise', () => {
  expect(readDatabaseHosts('postgres://one,two/hearth')).toMatchObject({
    target: 'read-write',
    connectWithinMs: 1_000,
  })
  expect(readDatabaseHosts('postgres://one,two/hearth?target_session_attrs=any')).toMatchObject({
    target: 'any',
  })
})

test('an address with one host and target_session_attrs is one of a single server', () => {
  expect(urlsOf('postgres://db/hearth?target_session_attrs=read-write')).toEqual([
    'postgres://db:5432/hearth',
  ])
})

test('reads hosts and ports from the parameters', () => {
  expect(urlsOf('postgres://me@/hearth?host=one,two&port=5433,')).toEqual([
    'postgres://me@one:5433/hearth',
    'postgres://me@two:5432/hearth',
  ])
  expect(urlsOf('postgres:///hearth?host=/run/one,/run/two&port=5433&user=me')).toEqual([
    'postgres://%2Frun%2Fone:5433/hearth?user=me',
    'postgres://%2Frun%2Ftwo:5433/hearth?user=me',
  ])
})

describe('refuses, without a word of the address,', () => {
  test.each([
    ['postgres://me:secret@one,/hearth', 'one of its hosts is empty'],
    ['postgres://me:secret@,two/hearth', 'one of its hosts is empty'],
    ['postgres://me:secret@one,[]/hearth', 'one of its hosts is empty'],
    ['postgres://me:secret@one,[::1/hearth', 'one of its hosts is not a host'],
    ['postgres://me:secret@one,fd00::1/hearth', 'one of its ports is not a port'],
    ['postgres://me:secret@one,two%zz/hearth', 'one of its hosts is not a host'],
    ['postgres://me:secret@one:0,two/hearth', 'one of its ports is not a port'],
    ['postgres://me:secret@one:65536,two/hearth', 'one of its ports is not a port'],
    ['postgres://me:secret,x/y@one/hearth', 'one of its ports is not a port'],
    ['postgres:///hearth?host=one,two,three&port=1,2', 'it names 2 ports for 3 hosts'],
    [
      'postgres://one,two/hearth?target_session_attrs=master',
      'target_session_attrs is not one of any, read-write, read-only, primary, standby, prefer-standby',
    ],
    [
      'postgres://one,two/hearth?connect_timeout=soon',
      'connect_timeout is not a number of seconds from 1 to 999',
    ],
    [
      'postgres://one,two/hearth?load_balance_hosts=random',
      'load_balance_hosts can only be "disable", as all statements go to one server',
    ],
  ])('%s', (address, sentence) => {
    expect(() => readDatabaseHosts(address)).toThrow(new DatabaseUrlError(sentence))
  })
})

test('names another database on the same hosts', () => {
  expect(withDatabase('postgres://me:a,b@one,two:5433/hearth?target_session_attrs=primary', 'other')).toBe(
    'postgres://me:a,b@one,two:5433/other?target_session_attrs=primary',
  )
  expect(withDatabase('postgres://db', 'other')).toBe('postgres://db/other')
  expect(withDatabase('postgres://me@/hearth?host=/run/postgresql', 'other')).toBe(
    'postgres://me@/other?host=/run/postgresql',
  )
})
