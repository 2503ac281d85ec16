import { isObject } from '../jsonrpc/message.ts'
import { setLru } from '../util/lru.ts'

/** Options of `redactSecrets`. */
export interface RedactionOptions {
  /** Further names of fields whose values are secrets. They are compared without case, dashes and underscores, and also as parts of names. */
  readonly fields?: readonly string[]
  /** Further patterns of secrets in text. */
  readonly patterns?: readonly RegExp[]
}

const REDACTED = '[redacted]'
const MAX_DEPTH = 100
const MAX_REMEMBERED = 1000
const MAX_REMEMBERED_LENGTH = 200

/** Parts of the names of fields whose values are secrets, in lower case and without separators. */
const FIELDS = [
  'password',
  'passwd',
  'passphrase',
  'passcode',
  'secret',
  'token',
  'apikey',
  'accesskey',
  'privatekey',
  'signingkey',
  'encryptionkey',
  'sshkey',
  'authorization',
  'credential',
  'cookie',
  'sessionid',
  'connectionstring',
  'webhookurl',
]
/** Names that are too short to be looked for in others. */
const EXACT_FIELDS = ['pwd', 'pass', 'pin', 'otp', 'auth', 'jwt', 'sid', 'sas', 'dsn', 'cvv', 'cvc', 'ssn']

/** Secrets with a form of their own, wherever they are in a text. */
export const SECRET_PATTERNS: readonly RegExp[] = [
  // Private keys and certificates with keys.
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z0-9 ]*-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z0-9 ]*-----|$)/g,
  // JSON Web Tokens.
  /\beyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*){0,3}/g,
  // HTTP authentication.
  /\b(?:bearer|dpop)\s+[\w.~+/=-]{8,}/gi,
  /\bbasic\s+(?=[a-z+/]*[\d=])[\w+/]{8,}={0,2}/gi,
  // Credentials in a URL.
  /(?<=[a-z][a-z0-9+.-]*:\/\/)[^\s/@?#"']+(?=@)/gi,
  // Keys and tokens of AWS, Google, GitHub, GitLab, Slack, Stripe, OpenAI and others, which begin with a prefix.
  /\b(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{12,}/g,
  /\bAIza[\w-]{30,}/g,
  /\bya29\.[\w-]{16,}/g,
  /\b1\/\/0[\w-]{20,}/g,
  /\bGOCSPX-[\w-]{20,}/g,
  /\bgh[pousr]_\w{20,}/g,
  /\bgithub_pat_\w{20,}/g,
  /\bgl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct)-[\w.-]{16,}/g,
  /\bxox[abcdeoprs]-[\w-]{10,}/g,
  /\bxapp-[\w-]{10,}/g,
  /\bhooks\.slack\.com\/services\/[\w/]+/g,
  /\b(?:sk|rk|pk|whsec)_(?:(?:live|test|prod)_)?[A-Za-z0-9]{16,}/g,
  /\bsk-[\w-]{16,}/g,
  /\b(?:hf|npm|pypi|dckr_pat|dop_v1|doo_v1|dor_v1|shpat|shpca|shppa|shpss|lin_api|ntn|secret|pat|pscale_tkn|pscale_pw|fio-u|figd|r8|gsk|xai|tvly|re|whsec|rnd|sbp|sntrys|sntryu|glsa|dp\.pt|nvapi|pplx|vercel|cfut|pul|tfp|atlasv1|ATATT3|ATCTT3|ATBB|NRAK|EAAC|EAAG|SG|key|PMAK|AGE-SECRET-KEY|hvs|hvb|ddp|ddapi|sq0atp|sq0csp|EAAA|live|test)[_.-](?=[\w.-]*\d)[\w.-]{16,}/g,
  /\b[\w-]+\.atlasv1\.[\w-]{16,}/g,
  /\bATATT3[\w=-]{16,}/g,
  /\bEAA[A-Z][A-Za-z0-9]{24,}/g,
  /\bSK[0-9a-f]{32}\b/g,
  /\b\d{8,10}:AA[\w-]{30,}/g,
  /\b[MNO][A-Za-z\d]{23,25}\.[\w-]{6}\.[\w-]{27,}/g,
]
/** Long random text: hexadecimal digits, or a mix of letters and digits in base64. */
const RANDOM_PATTERNS = [
  /\b[0-9a-f]{32,}\b/gi,
  /(?<![\w+/-])(?=[\w+/-]*\d)(?=[\w+/-]*[a-z])(?=[\w+/-]*[A-Z])[\w+/-]{32,}={0,2}(?![\w+/=-])/g,
]
/** `name=value` and `"name": "value"`, where the name says that the value is a secret. */
const ASSIGNMENT =
  /((?:pass(?:word|wd|phrase)?|pwd|secret|token|api[-_ ]?key|access[-_ ]?key|account[-_ ]?key|private[-_ ]?key|shared[-_ ]?access[-_ ]?key|signature|sig|credential|authorization|cookie|session[-_ ]?id)[\w-]*["']?\s*[:=]\s*)(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'&;,]+)/gi

/**
 * Creates a function that returns a JSON value without secrets: the values of fields such as `password` and `api_key`, and text that looks like
 * a key or a token, become `[redacted]`. It errs on the side of redacting too much.
 */
export function redactSecrets({ fields = [], patterns = [] }: RedactionOptions = {}): (value: unknown) => unknown {
  const parts = [...FIELDS, ...fields.map(normalize)]
  const exact = new Set(EXACT_FIELDS)
  const all = [...SECRET_PATTERNS, ...RANDOM_PATTERNS, ...patterns.map(toGlobal)]
  const isSecret = (key: string): boolean => {
    const name = normalize(key)
    return exact.has(name) || parts.some((part) => name.includes(part))
  }
  const redactPlain = (text: string): string =>
    all.reduce((rest, pattern) => rest.replace(pattern, REDACTED), text).replace(ASSIGNMENT, `$1${REDACTED}`)
  /** Text that has a secret only after it is decoded, such as a URI, becomes the decoded text. */
  const redactEncoded = (text: string): string => {
    const redacted = redactPlain(text)
    const decoded = decode(redacted)
    if (decoded === text) return text
    const redactedDecoded = redactPlain(decoded)
    return redactedDecoded === decoded ? redacted : redactedDecoded
  }
  /** Short texts without secrets: names and messages come again and again, and each is compared with dozens of patterns. */
  const harmless = new Map<string, true>()
  const redactText = (text: string): string => {
    if (harmless.has(text)) return text
    const redacted = redactEncoded(text)
    if (redacted === text && text.length <= MAX_REMEMBERED_LENGTH) setLru(harmless, [text, true], MAX_REMEMBERED)
    return redacted
  }
  const redact = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return redactText(value)
    if (typeof value !== 'object' || value === null) return value
    if (depth === 0) return REDACTED
    if (Array.isArray(value)) return value.map((item) => redact(item, depth - 1))
    if (!isObject(value)) return REDACTED
    const entries = Object.entries(value).filter(([, member]) => member !== undefined)
    return Object.fromEntries(
      entries.map(([key, member]) => [redactText(key), isSecret(key) ? REDACTED : redact(member, depth - 1)]),
    )
  }
  return (value) => redact(value, MAX_DEPTH)
}

function decode(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text.replace(/%[0-7][0-9a-f]/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
  }
}

function normalize(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

function toGlobal(pattern: RegExp): RegExp {
  return pattern.global ? pattern : new RegExp(pattern.source, `${pattern.flags}g`)
}
