/** A compiled schema, with what it found wrong the last time. */
export type Validator = ((value: unknown) => unknown) & { errors?: FieldError[] | null }

/** What of an error of the validator is read here. */
export type FieldError = { instancePath: string; params: object; message?: string }

type ObjectSchema = { properties?: Record<string, object>; required?: readonly string[] }

/**
 * A validator that stops at the first error, as the time for all of them grows with what a client sends, and then looks
 * at each field of the object by itself, so that all wrong ones are named. `compile` stops at the first error as well.
 */
export function collectFieldErrors(schema: unknown, compile: (schema: unknown) => Validator): Validator {
  const validateWhole = compile(schema)
  const { properties = {}, required = [] } = schema as ObjectSchema
  const validators = new Map<string, Validator>()

  function findErrors(name: string, value: unknown): FieldError[] {
    if (value === undefined) return required.includes(name) ? [missing(name)] : []
    const validate = validators.get(name) ?? compile({ properties: { [name]: properties[name] } })
    validators.set(name, validate)
    return validate({ [name]: value }) === false ? (validate.errors ?? []) : []
  }

  const validate: Validator = (value) => {
    const isValid = validateWhole(value)
    if (isValid !== false) return isValid
    const isObject = typeof value === 'object' && value !== null
    const fields = isObject ? (value as Record<string, unknown>) : {}
    const errors = Object.keys(properties).flatMap((name) => findErrors(name, ownValue(fields, name)))
    validate.errors = isObject && errors.length > 0 ? errors : validateWhole.errors
    return isValid
  }
  return validate
}

function ownValue(fields: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}

function missing(missingProperty: string): FieldError {
  const message = `must have required property '${missingProperty}'`
  return { instancePath: '', params: { missingProperty }, message }
}
