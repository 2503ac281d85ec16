/** What looks like a secret: by the name of a member, or by its own form. */
import { SECRET_PATTERNS } from '../../logging/redact.ts'

/** Names of members whose values are secrets, in lower case, without `-` and `_`. */
const EXACT_NAMES: ReadonlySet<string> = new Set([
  'requeststate',
  'pwd',
  'pass',
  'pin',
  'otp',
  'auth',
  'jwt',
  'sid',
  'sas',
  'dsn',
  'cvv',
  'cvc',
  'ssn',
])
/** Ends of such names. */
const NAME_ENDS = [
  'authorization',
  'cookie',
  'sessionid',
  'sessionkey',
  'token',
  'secret',
  'clientassertion',
  'codeverifier',
  'password',
  'passwd',
  'passphrase',
  'passcode',
  'apikey',
  'accesskey',
  'secretkey',
  'accesskeyid',
  'privatekey',
  'signingkey',
  'encryptionkey',
  'credential',
  'credentials',
  'connectionstring',
  'webhookurl',
]
/** Names of the protocol and of lists that only look like secrets. */
const HARMLESS_NAMES: ReadonlySet<string> = new Set(['progresstoken', 'pagetoken', 'nextpagetoken', 'continuationtoken'])
/** Members with values that are random by nature, and no secrets. */
const RANDOM_NAMES: ReadonlySet<string> = new Set([
  'data',
  'blob',
  'cursor',
  'nextcursor',
  'progresstoken',
  'taskid',
  'id',
  'uri',
])

/** Bearer tokens and JSON Web Tokens. The scheme stays readable. */
const TOKENS = /(?<=\b(?:Bearer|DPoP)\s+)[\w.~+/-]+=*|\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/gi
/** Long random text: hexadecimal digits, or a mix of letters and digits. */
const RANDOM = /\b[0-9a-f]{32,}\b|(?<![\w+/-])(?=[\w-]*\d)(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{32,}(?![\w+/=-])/g
/** `name=value` and `"name": "value"`, where the name says that the value is a secret. */
const ASSIGNMENT =
  /(\b[\w-]*(?:password|passwd|passphrase|secret|token|api[-_ ]?key|access[-_ ]?key(?:[-_ ]?id)?|account[-_ ]?key|private[-_ ]?key|credentials?|authorization|cookie|session[-_ ]?id)\\?["']?\s*[:=]\s*|\b(?:pwd|auth|sig|signature|code)=)(?:\\?"([^"\\]+)\\?"|'([^']+)'|([^\s"'&;,\\)}\]]{3,}))/gi

/** Reports whether the value of a member is a secret because of its name. */
export function isSecretName(name: string): boolean {
  const plain = normalizeName(name)
  if (HARMLESS_NAMES.has(plain)) return false
  return EXACT_NAMES.has(plain) || NAME_ENDS.some((end) => plain.endsWith(end))
}

/** Returns the name in lower case, without `-` and `_`. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '')
}

/** Replaces the secrets in a text, which is the value of a member with this name. */
export function replaceSecrets(text: string, name: string, replace: (secret: string) => string): string {
  const safe = (secret: string): string => (secret.includes('[redacted') ? secret : replace(secret))
  const isRandom = RANDOM_NAMES.has(normalizeName(name))
  const patterns = [TOKENS, ...SECRET_PATTERNS, ...(isRandom ? [] : [RANDOM])]
  const replaced = patterns.reduce((rest, pattern) => rest.replace(pattern, safe), text)
  return replaced.replace(ASSIGNMENT, (match: string, prefix: string, ...groups: unknown[]) => {
    const value = groups.slice(0, 3).find((group): group is string => typeof group === 'string') ?? ''
    return match.replace(
      prefix + match.slice(prefix.length),
      prefix + match.slice(prefix.length).replace(value, () => safe(value)),
    )
  })
}
