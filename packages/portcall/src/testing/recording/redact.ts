import { isObject } from '../../jsonrpc/message.ts'

/** Returns a value with its secrets replaced by numbered placeholders. Equal secrets have the same number. */
export type Redact = (value: unknown) => unknown

/** Names of members whose values are secrets, in lower case, without `-` and `_`. Progress tokens and cursors are not secrets. */
const SECRET_NAMES = [
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'mcpsessionid',
  'requeststate',
  'token',
  'accesstoken',
  'refreshtoken',
  'idtoken',
  'clientsecret',
  'clientassertion',
  'codeverifier',
  'secret',
  'password',
  'passwd',
  'apikey',
  'xapikey',
  'privatekey',
]

/** Secrets inside text: bearer tokens and JSON Web Tokens. */
const SECRET_TEXT = /(?<=\bBearer\s+)[\w.~+/-]+=*|\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/gi

/** Creates a function that redacts the well-known secrets, and the values of the members in `names`. */
export function createRedactor(names: readonly string[] = []): Redact {
  const secretNames = new Set([...SECRET_NAMES, ...names.map(normalize)])
  const numbers = new Map<string, number>()

  const placeholder = (value: unknown): string => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
    const number = numbers.get(text) ?? numbers.size + 1
    numbers.set(text, number)
    return `[redacted ${number}]`
  }
  const redact: Redact = (value) => {
    if (typeof value === 'string') return value.replace(SECRET_TEXT, placeholder)
    if (Array.isArray(value)) return value.map(redact)
    if (!isObject(value)) return value
    const entries = Object.entries(value).map(([key, member]) => [
      key,
      secretNames.has(normalize(key)) && member != null && !isObject(member) ? placeholder(member) : redact(member),
    ])
    return Object.fromEntries(entries) as unknown
  }
  return redact
}

function normalize(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '')
}
