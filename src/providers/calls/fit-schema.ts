/** JSON Schema as zod writes it, as far as it is looked at here. */
export type JsonSchema = Readonly<Record<string, unknown>>

/**
 * A value moved towards a schema where it leaves one way only: keys that differ in case, in `_` and `-` or in number (`Question` for
 * `questions`); a bare array for an object with one array, and the other way round; one item for an array of it; a wrapper of one key; a
 * number as text and the other way round. What fits already, or does not fit in any such way, stays as it is: the schema judges afterwards.
 */
export function fitToSchema(value: unknown, schema: JsonSchema): unknown {
  const branches = branchesOf(schema)
  if (branches !== null) {
    if (value === null && branches.some((branch) => branch.type === 'null')) return value
    const real = branches.filter((branch) => branch.type !== 'null')
    return real.length === 1 && real[0] !== undefined ? fitToSchema(value, real[0]) : value
  }
  if (schema.type === 'object') return fitObject(value, schema)
  if (schema.type === 'array') return fitArray(value, schema)
  return fitScalar(value, schema)
}

function fitObject(value: unknown, schema: JsonSchema): unknown {
  const properties = recordOf(schema.properties)
  const names = Object.keys(properties)
  if (names.length === 0) return value
  if (Array.isArray(value)) {
    const [first, ...others] = value
    if (isRecord(first) && others.length === 0 && names.some((name) => name in withNearKeys(first, names))) {
      return fitObject(first, schema)
    }
    const arrays = names.filter((name) => recordOf(properties[name]).type === 'array')
    const [only] = arrays
    if (arrays.length === 1 && only !== undefined && requiredOf(schema).every((name) => name === only)) {
      return { [only]: fitToSchema(value, recordOf(properties[only])) }
    }
    return value
  }
  if (!isRecord(value)) return fitBare(value, schema, properties)
  const named = withNearKeys(value, names)
  const [wrapper, ...more] = Object.keys(named)
  if (wrapper !== undefined && more.length === 0 && !names.includes(wrapper)) {
    const inner = named[wrapper]
    if (isRecord(inner) || Array.isArray(inner)) return fitObject(inner, schema)
  }
  const required = requiredOf(schema)
  return Object.fromEntries(
    Object.entries(named)
      // no value for what need not have one
      .filter(
        ([name, some]) =>
          some !== null ||
          !names.includes(name) ||
          required.includes(name) ||
          isNullable(recordOf(properties[name])),
      )
      .map(([name, some]) => [
        name,
        names.includes(name) ? fitToSchema(some, recordOf(properties[name])) : some,
      ]),
  )
}

/** A text or number where an object with one such property is wanted. */
function fitBare(value: unknown, schema: JsonSchema, properties: Readonly<Record<string, unknown>>): unknown {
  const [only, ...more] = requiredOf(schema)
  if (only === undefined || more.length > 0) return value
  return typeof value === recordOf(properties[only]).type ? { [only]: value } : value
}

function fitArray(value: unknown, schema: JsonSchema): unknown {
  const items = recordOf(schema.items)
  if (Array.isArray(value)) return value.map((item) => fitToSchema(item, items))
  if (!isRecord(value)) return typeof value === items.type ? [value] : value
  if (items.type === 'object') {
    const fitted = fitObject(value, items)
    const own = Object.keys(recordOf(items.properties))
    if (
      isRecord(fitted) &&
      requiredOf(items).every((name) => name in fitted) &&
      own.some((name) => name in fitted)
    ) {
      return [fitted]
    }
  }
  const arrays = Object.values(value).filter((some) => Array.isArray(some))
  return arrays.length === 1 ? fitArray(arrays[0], schema) : value
}

function fitScalar(value: unknown, schema: JsonSchema): unknown {
  const { type } = schema
  if (Array.isArray(schema.enum) && typeof value === 'string') {
    const same = schema.enum.filter((one) => typeof one === 'string' && plainName(one) === plainName(value))
    return same.length === 1 ? same[0] : value
  }
  if (type === 'string') {
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    if (!isRecord(value)) return value
    const texts = Object.values(value).filter((some) => typeof some === 'string')
    return texts.length === 1 ? texts[0] : value
  }
  if ((type === 'number' || type === 'integer') && typeof value === 'string' && value.trim() !== '') {
    const number = Number(value)
    return Number.isFinite(number) ? number : value
  }
  if (type === 'boolean' && typeof value === 'string') {
    if (/^(true|yes)$/i.test(value)) return true
    return /^(false|no)$/i.test(value) ? false : value
  }
  return value
}

/** Keys that are missing are taken from keys that nobody asked for, where exactly one is near. */
function withNearKeys(
  value: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  const strangers = Object.keys(value).filter((key) => !names.includes(key))
  const renamed = new Map<string, string>()
  for (const name of names.filter((wanted) => !Object.hasOwn(value, wanted))) {
    const near = strangers.filter((key) => plainName(key) === plainName(name))
    if (near.length === 1 && near[0] !== undefined) renamed.set(near[0], name)
  }
  return Object.fromEntries(Object.entries(value).map(([key, some]) => [renamed.get(key) ?? key, some]))
}

/** Without case, `_`, `-`, spaces and the ending of the plural. */
function plainName(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[_\-\s]/g, '')
  if (plain.endsWith('ies')) return `${plain.slice(0, -3)}y`
  return plain.length > 2 && plain.endsWith('s') ? plain.slice(0, -1) : plain
}

function branchesOf(schema: JsonSchema): JsonSchema[] | null {
  if (Array.isArray(schema.type)) return schema.type.map((type: unknown) => ({ ...schema, type }))
  const branches = schema.anyOf ?? schema.oneOf
  return Array.isArray(branches) ? branches.map(recordOf) : null
}

const isNullable = (schema: JsonSchema): boolean =>
  schema.type === 'null' || (branchesOf(schema)?.some((branch) => branch.type === 'null') ?? false)

const requiredOf = (schema: JsonSchema): readonly string[] =>
  Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : []

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})
