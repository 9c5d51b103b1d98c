import { createRequire } from 'node:module'
import type validators from '@fastify/ajv-compiler'
import serializers from '@fastify/fast-json-stringify-compiler'
import type { FastifyServerOptions } from 'fastify'
import { collectFieldErrors, type Validator } from '../errors/field-errors.ts'

type Compilers = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>
/** The argument of a compiler: the schema, and where it is used. */
type Place = { schema?: unknown }

type BuildValidator = (...options: unknown[]) => (place: Place) => Validator

const require = createRequire(import.meta.url)
let loaded: BuildValidator | undefined

/** Loaded by the first request that is validated, as the start would take noticeably longer with it. */
function loadValidators(): BuildValidator {
  loaded ??= (require('@fastify/ajv-compiler') as typeof validators)() as BuildValidator
  return loaded
}

function compile(options: unknown[], place: Place): Validator {
  const build = loadValidators()(...options)
  return collectFieldErrors(place.schema, (schema) => build({ ...place, schema }))
}

const buildSerializers = serializers() as (
  ...options: unknown[]
) => (place: Place) => (value: unknown) => string

/**
 * Fastify's own schema compilers, except that a schema is compiled by the first request that needs it (compiling all of
 * them took a good part of the start, and of the memory of an idle server), and that validators name each wrong field.
 */
export const lazySchemas = {
  buildValidator(...options: unknown[]) {
    return (place: Place) => {
      let compiled: Validator | undefined
      const validate: Validator = (value) => {
        compiled ??= compile(options, place)
        const isValid = compiled(value)
        if (isValid === false) validate.errors = compiled.errors
        return isValid
      }
      return validate
    }
  },
  buildSerializer(...options: unknown[]) {
    const compile = once(buildSerializers(...options))
    return (place: Place) => {
      let compiled: ((value: unknown) => string) | undefined
      return (value: unknown) => {
        compiled ??= compile(place)
        return compiled(value)
      }
    }
  },
} as Compilers

/** Compiles a schema that several routes share, such as that of failures, only once. */
function once<Compiled>(compile: (place: Place) => Compiled): (place: Place) => Compiled {
  const bySchema = new WeakMap<object, Compiled>()
  return (place) => {
    const schema = place.schema as object
    const compiled = bySchema.get(schema) ?? compile(place)
    bySchema.set(schema, compiled)
    return compiled
  }
}
