/**
 * Validation against the official JSON Schemas: tests validate every message by the schema of its revision. The schemas are stored next to
 * the repository (`../shared/spec`). Without them nothing is validated and `hasOracle` is false.
 */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv, type AnySchemaObject, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** Validates messages by the schema of one revision. Each method returns `undefined` for a valid message, else a description of the violation. */
export interface Oracle {
  /** Validates the `result` of a response to this method. */
  result(method: string, value: unknown): string | undefined
  /** Validates a complete request. */
  request(message: unknown): string | undefined
  /** Validates a complete notification. */
  notification(message: unknown): string | undefined
  /** Validates a complete error response. */
  error(message: unknown): string | undefined
  /** Validates a value by the name of a definition. */
  definition(name: string, value: unknown): string | undefined
  /** Returns the fields of a definition, or an empty list when the definition does not exist. */
  fields(name: string): string[]
  /** Returns the methods of a union such as `ServerNotification`. */
  methods(union: string): string[]
}

export interface OracleOptions {
  /** Rejects fields that the schema does not name even where it allows them, to test that a field was removed. */
  closed?: boolean
}

const SPEC = fileURLToPath(new URL('../../../shared/spec/', import.meta.url))

/** True if the official schemas are present. Prints a warning to stderr when they are not. */
export const hasOracle: boolean = existsSync(`${SPEC}2024-11-05/schema.json`)
if (!hasOracle) console.error(`NOT JUDGED: the official schemas are not at ${SPEC}`)

const oracles = new Map<string, Oracle>()

/** Accepts everything; used without the official schemas. */
const BLIND: Oracle = {
  result: () => undefined,
  request: () => undefined,
  notification: () => undefined,
  error: () => undefined,
  definition: () => undefined,
  fields: () => [],
  methods: () => [],
}

/** Returns the oracle of a revision, cached per revision. */
export function oracle(revision: string, options: OracleOptions = {}): Oracle {
  if (!hasOracle) return BLIND
  const key = `${revision} ${options.closed === true}`
  let found = oracles.get(key)
  if (!found) {
    found = createOracle(readSchema(revision), options)
    oracles.set(key, found)
  }
  return found
}

type Definitions = { [name: string]: AnySchemaObject }

interface Official {
  $schema: string
  definitions?: Definitions
  $defs?: Definitions
}

function readSchema(revision: string): Official {
  return JSON.parse(readFileSync(`${SPEC}${revision}/schema.json`, 'utf8')) as Official
}

function createOracle(schema: Official, { closed }: OracleOptions): Oracle {
  const definitions = schema.definitions ?? schema.$defs ?? {}
  const place = schema.definitions ? 'definitions' : '$defs'
  allowFractions(definitions)
  if (closed) for (const [name, definition] of Object.entries(definitions)) if (!OPEN.includes(name)) close(definition)
  const ajv = new (schema.$schema.includes('2020-12') ? Ajv2020 : Ajv)({ strict: false, allErrors: false, logger: false })
  formats.default(ajv as unknown as Ajv)
  ajv.addSchema(schema, 'official')
  const validators = new Map<string, ValidateFunction>()
  const methods = methodNames(definitions)

  const judge = (name: string, value: unknown): string | undefined => {
    if (!definitions[name]) return `there is no ${name}`
    const validate = validators.get(name) ?? ajv.compile({ $ref: `official#/${place}/${name}` })
    validators.set(name, validate)
    return validate(value) ? undefined : `not a ${name}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(value, null, 2)}`
  }
  const typed = (kind: 'Request' | 'Notification', message: unknown): string | undefined => {
    const method = methodOf(message)
    const name = methods.get(method)
    if (!name?.endsWith(kind)) return `${method} is not a ${kind.toLowerCase()} of this revision`
    return judge(`JSONRPC${kind}`, message) ?? judge(name, message)
  }

  return {
    result: (method, value) => {
      const name = methods.get(method)
      return name ? judge(resultName(name, value, definitions), value) : `${method} is not a request of this revision`
    },
    request: (message) => typed('Request', message),
    notification: (message) => typed('Notification', message),
    error: (message) => judge(definitions.JSONRPCError ? 'JSONRPCError' : 'JSONRPCErrorResponse', message),
    definition: judge,
    fields: (name) => Object.keys(definitions[name]?.properties ?? {}),
    methods: (union) => {
      const definition = definitions[union]
      const members: AnySchemaObject[] = definition?.anyOf ?? (definition ? [definition] : [])
      const resolved = members.map((member) => definitions[member.$ref?.split('/').at(-1) ?? ''] ?? member)
      return resolved.map(({ properties }) => properties.method.const as string)
    },
  }
}

/** Maps each method to the name of its definition, as the definitions state it. */
function methodNames(definitions: Definitions): Map<string, string> {
  const names = Object.entries(definitions).map(([name, { properties }]) => [properties?.method?.const as unknown, name] as const)
  return new Map(
    names.filter(
      (entry): entry is readonly [string, string] => typeof entry[0] === 'string' && !/^Client|^Server/.test(entry[1]),
    ),
  )
}

function resultName(request: string, value: unknown, definitions: Definitions): string {
  const { resultType, task } = (typeof value === 'object' && value !== null ? value : {}) as {
    resultType?: unknown
    task?: unknown
  }
  if (resultType === 'input_required') return 'InputRequiredResult'
  if (task !== undefined && definitions.CreateTaskResult) return 'CreateTaskResult'
  const name = request.replace(/Request$/, 'Result')
  return definitions[name] ? name : 'EmptyResult'
}

function methodOf(message: unknown): string {
  return String((message as { method?: unknown } | null)?.method)
}

/** The generated schemas use `integer` where the specification uses number: in the values of forms. */
function allowFractions({ ElicitResult }: Definitions): void {
  const values = ElicitResult?.properties.content.additionalProperties
  for (const kind of [values, ...(values?.anyOf ?? [])]) if (Array.isArray(kind?.type)) kind.type.push('number')
}

/** Definitions that allow unknown fields on purpose; the last one occurs only as part of another. */
const OPEN = [
  'ClientCapabilities',
  'ServerCapabilities',
  'JSONRPCRequest',
  'JSONRPCNotification',
  'JSONRPCMessage',
  'NotificationParams',
]

/** Properties that hold JSON Schemas. */
const SCHEMAS = ['inputSchema', 'outputSchema']

function close(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return
  const node = schema as AnySchemaObject
  if (node.type === 'object' && node.properties && node.additionalProperties === undefined) {
    node.additionalProperties = false
    if (node.properties.method) Object.assign(node.properties, { jsonrpc: true, id: true })
  }
  for (const [key, child] of Object.entries(node)) if (!SCHEMAS.includes(key)) close(child)
}
