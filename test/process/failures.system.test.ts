import { expect, test } from 'vitest'
import { StoreUnavailable } from '../../src/errors.ts'
import { describeFailure } from '../../src/process/failures.ts'

test('an unavailable store is reported with the name of its setting', () => {
  const error = new StoreUnavailable(new Error('connect ECONNREFUSED 127.0.0.1:9000'))
  expect(describeFailure(error)).toBe('STORAGE_URL cannot be used: connect ECONNREFUSED 127.0.0.1:9000.')
})

test('a database host none of whose addresses answers is reported with the error code', () => {
  const error = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED', syscall: 'connect' })
  expect(describeFailure(error)).toBe('DATABASE_URL cannot be used: ECONNREFUSED.')
})

test('a folder that cannot be created is reported with the name of its setting', () => {
  const facts = { code: 'ENOENT', path: '/srv/data/postgres', syscall: 'mkdir' }
  const message = "ENOENT: no such file or directory, mkdir '/srv/data/postgres'"
  expect(describeFailure(Object.assign(new Error(message), facts))).toBe(
    `DATA_DIR cannot be used: ${message}.`,
  )
})

test('a missing module is reported with its stack', () => {
  const facts = { code: 'ERR_MODULE_NOT_FOUND', path: '/hearth/node_modules/pg', syscall: 'open' }
  const error = Object.assign(new Error('Cannot find package'), facts)
  expect(describeFailure(error)).toBe(error.stack)
})
