import { isObject } from '../jsonrpc/message.ts'

/** Takes secrets out of values that are to be kept. What was equal stays equal: each secret has a number. */
export type Redact = (value: unknown) => unknown

/** Members whose values are secret, in lower case and without `-` and `_`. Progress tokens and cursors are not. */
const SECRET = [
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

/** Secrets that stand inside a text: bearer tokens, JSON Web Tokens. */
const INSIDE = /(?<=\bBearer\s+)[\w.~+/-]+=*|\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/gi

/** Makes a function that takes out what is known to be secret, and the values of the keys given. */
export function createRedaction(keys: readonly string[] = []): Redact {
  const secret = new Set([...SECRET, ...keys.map(plain)])
  const numbers = new Map<string, number>()

  const hide = (value: unknown): string => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
    const number = numbers.get(text) ?? numbers.size + 1
    numbers.set(text, number)
    return `[redacted ${number}]`
  }
  const visit: Redact = (value) => {
    if (typeof value === 'string') return value.replace(INSIDE, hide)
    if (Array.isArray(value)) return value.map(visit)
    if (!isObject(value)) return value
    const entries = Object.entries(value).map(([key, one]) => [
      key,
      secret.has(plain(key)) && one != null && !isObject(one) ? hide(one) : visit(one),
    ])
    return Object.fromEntries(entries) as unknown
  }
  return visit
}

function plain(key: string): string {
  return key.toLowerCase().replace(/[-_]/g, '')
}
