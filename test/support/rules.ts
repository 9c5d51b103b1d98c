/** Returns what is wrong with a value, [] where it is valid. `key` is its key in the parent. */
export type Rule = (value: unknown, path: string, key?: string) => string[]

export function is<Value>(holds: (value: Value) => boolean): Rule {
  return (value, path) => (holds(value as Value) ? [] : [`${path} is ${JSON.stringify(value)?.slice(0, 80)}`])
}

export function like(pattern: RegExp): Rule {
  return is((value) => typeof value === 'string' && pattern.test(value))
}

export function one(...values: unknown[]): Rule {
  return is((value) => values.includes(value))
}

export function orNull(rule: Rule): Rule {
  return (value, path) => (value === null ? [] : rule(value, path))
}

export function list(rule: Rule): Rule {
  return (value, path) =>
    Array.isArray(value)
      ? value.flatMap((item, place) => rule(item, `${path}[${place}]`))
      : [`${path}: no list`]
}

export function byKey(rule: Rule): Rule {
  return (value, path) => {
    if (!isObject(value)) return [`${path}: no object`]
    return Object.entries(value).flatMap(([key, item]) => rule(item, `${path}.${key}`, key))
  }
}

/** An object of just these keys. Those that end in `?` may be missing. */
export function exact(rules: Record<string, Rule>): Rule {
  const ruleOf = (key: string) => rules[key] ?? rules[`${key}?`]
  return (value, path) => {
    if (!isObject(value)) return [`${path}: no object`]
    const missing = Object.keys(rules).filter((key) => !key.endsWith('?') && !(key in value))
    const wrong = Object.entries(value).flatMap(([key, item]) => {
      return ruleOf(key)?.(item, `${path}.${key}`) ?? [`${path}.${key}: too many`]
    })
    return [...missing.map((key) => `${path}.${key}: missing`), ...wrong]
  }
}

/** A rule, and a condition between the parts of the value. */
export function also<Value>(rule: Rule, holds: (value: Value, key?: string) => boolean): Rule {
  return (value, path, key) => {
    const wrong = rule(value, path)
    return wrong.length > 0 || holds(value as Value, key) ? wrong : [`${path}: its parts disagree`]
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
