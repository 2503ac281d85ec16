import { describe } from './describe.ts'
import { isUrl } from './parse-url.ts'
import { isSecretName } from './secret-names.ts'
import { MAX_TIMER_MS } from './timers.ts'

/** A test of a value, and how the values that pass are described in a message. */
interface OptionKind {
  readonly text: string
  accepts(value: unknown): boolean
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } => typeof value === 'object' && value !== null
const isFunction = (value: unknown): boolean => typeof value === 'function'
const hasMethods = (value: unknown, names: readonly string[]): boolean =>
  (isObject(value) || typeof value === 'function') && names.every((name) => isFunction(Reflect.get(value, name)))
const isText = (value: unknown): boolean => typeof value === 'string'
const isAmount = (value: unknown): boolean => typeof value === 'number' && value >= 0

/** The name of a kind of values. */
type KindName =
  | 'text'
  | 'nonempty'
  | 'texts'
  | 'text or texts'
  | 'boolean'
  | 'number'
  | 'count'
  | 'function'
  | 'functions'
  | 'object'
  | 'object or objects'
  | 'array'
  | 'array or function'
  | 'url'
  | 'headers'
  | 'auth'
  | 'logger'
  | 'store'
  | 'stores'

/** The kinds of values that a table of options names. */
const KINDS: { readonly [kind in KindName]: OptionKind } = {
  // Programs pass `process.env.CLIENT_ID ?? ''`, and are loaded without their environment too.
  text: { text: 'a text', accepts: isText },
  nonempty: { text: 'a text that is not empty', accepts: (value) => isText(value) && value !== '' },
  texts: { text: 'an array of texts', accepts: (value) => Array.isArray(value) && value.every(isText) },
  'text or texts': { text: 'a text or an array of texts', accepts: (value) => [value].flat().every(isText) },
  boolean: { text: 'true or false', accepts: (value) => typeof value === 'boolean' },
  number: { text: 'a number that is not negative', accepts: isAmount },
  count: { text: 'a positive number', accepts: (value) => isAmount(value) && (value as number) > 0 },
  function: { text: 'a function', accepts: isFunction },
  functions: { text: 'an array of functions', accepts: (value) => Array.isArray(value) && value.every(isFunction) },
  object: { text: 'an object', accepts: (value) => isObject(value) && !Array.isArray(value) },
  'object or objects': { text: 'an object or an array of objects', accepts: (value) => [value].flat().every(isObject) },
  array: { text: 'an array', accepts: Array.isArray },
  'array or function': { text: 'an array or a function', accepts: (value) => Array.isArray(value) || isFunction(value) },
  url: { text: 'a URL', accepts: (value) => value instanceof URL || (typeof value === 'string' && isUrl(value)) },
  headers: {
    text: 'an object with headers, or a function that returns one',
    accepts: (value) => isFunction(value) || (isObject(value) && (!Array.isArray(value) || value.every(Array.isArray))),
  },
  auth: {
    text: 'an auth provider, such as bearerToken(() => token) of portcall/auth/client',
    accepts: (value) => hasMethods(value, ['authorizer']),
  },
  logger: {
    text: 'a logger of pino or winston, or console',
    accepts: (value) => hasMethods(value, ['error', 'warn', 'info', 'debug']),
  },
  store: {
    text: 'a key-value store, such as memoryStores().store or redisStores(client).store',
    accepts: (value) => hasMethods(value, ['get', 'set', 'compareAndSet']),
  },
  stores: {
    text: 'an object with a store, a log and a bus, as redisStores(…) and memoryStores() return',
    accepts: (value) => isObject(value) && isObject(value.store) && isObject(value.log) && isObject(value.bus),
  },
}

/** The name of a kind of values, or the texts that are allowed. */
export type OptionKindName = KindName | readonly string[]

const DURATION: OptionKind = { text: 'a number of milliseconds', accepts: isAmount }
const TIMER: OptionKind = {
  text: `a number of milliseconds up to ${MAX_TIMER_MS}, which is 24 days, or Infinity`,
  accepts: (value) => isAmount(value) && ((value as number) <= MAX_TIMER_MS || value === Number.POSITIVE_INFINITY),
}

/** The names of options whose values are not shown. */
const isSecret = (name: string): boolean => isSecretName(name) || /keys?$|^auth$|^headers$/i.test(name)

/** The kinds of values that names stand for. */
const CONVENTIONS: readonly (readonly [RegExp, OptionKind])[] = [
  [/(?:^t|T)imeoutMs$|(?:^i|I)ntervalMs$|(?:^d|D)elayMs$/, TIMER],
  [/Ms$/, DURATION],
  [/(?:^b|B)ytes$/, { text: 'a number of bytes', accepts: isAmount }],
  [/^max[A-Z]/, { text: 'a number', accepts: isAmount }],
  [/^on[A-Z]|^now$|^fetch$/, KINDS.function],
]

/** A problem with the value of an option. */
interface OptionProblem {
  readonly text: string
  /** Set if the value is a number, and only too small or too large. */
  readonly isRange: boolean
}

/**
 * Describes what is wrong with the value of an option, or returns `undefined` if nothing is. The kind is the one in the table, or the one that
 * the name stands for. Values that may be secret are not shown.
 */
export function problemOf(name: string, value: unknown, named: unknown): OptionProblem | undefined {
  if (Array.isArray(named)) {
    if (named.includes(value)) return undefined
    return { text: `must be ${named.map((one) => JSON.stringify(one)).join(' or ')}, not ${describe(value)}`, isRange: false }
  }
  const kind =
    typeof named === 'string' && Object.hasOwn(KINDS, named)
      ? KINDS[named as keyof typeof KINDS]
      : CONVENTIONS.find(([pattern]) => pattern.test(name))?.[1]
  if (!kind || kind.accepts(value)) return undefined
  return {
    text: `must be ${kind.text}, not ${shown(name, value, kind)}${hintFor(kind, value)}`,
    isRange: typeof value === 'number' && kind.accepts(1),
  }
}

/** Describes a value, or the item of an array that is not of the kind. */
function shown(name: string, value: unknown, kind: OptionKind): string {
  if (typeof value === 'string' && isSecret(name)) return 'a text'
  const wrong = Array.isArray(value) ? value.find((item) => !kind.accepts([item])) : undefined
  if (!Array.isArray(value) || wrong === undefined) return describe(value)
  return `an array with ${typeof wrong === 'string' && isSecret(name) ? 'a text' : describe(wrong)}`
}

function hintFor(kind: OptionKind, value: unknown): string {
  if (Number.isNaN(value)) return '. Is an environment variable not set?'
  if ((kind === KINDS.function || kind === KINDS.functions) && [value].flat().some((item) => hasMethods(item, ['middleware'])))
    return '. Pass its member "middleware"'
  if (kind === KINDS.function && hasMethods(value, ['list'])) return '. Wrap a transform: transform(…)'
  if (kind === KINDS.store && KINDS.stores.accepts(value)) return '. Pass its member "store"'
  if (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)) && kind.accepts(Number(value)))
    return `. Pass Number(…) of a text`
  return ''
}
