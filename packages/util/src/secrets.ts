/**
 * Finds secrets in text. Each pattern takes time that is linear in the length of the text: nothing that may be missing follows a repetition
 * without a limit. What is to be checked about the repeated text is checked after the match.
 */
import { isSecretName, isSecretParameter, isShortSecretName } from './secret-names.ts'

/** Options of `replaceSecrets`. */
export interface SecretOptions {
  /** Treats long random text as a secret. Default: true. */
  readonly random?: boolean
  /** Further patterns of secrets, with the flag `g`. */
  readonly patterns?: readonly RegExp[]
  /** Further names of secrets. */
  readonly isSecretName?: (name: string) => boolean
}

/** Stands for a secret, alone or with a number behind it. */
export const BULLETS = '••••'

const PRIVATE_KEY =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z0-9 ]{0,20}-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z0-9 ]{0,20}-----|$)/g
/** HTTP authentication. The scheme stays readable. */
const CREDENTIALS = /\b(?:bearer|dpop|basic)\s{1,32}[\w.~+/-]{8,}={0,2}/gi
/** The user and the password of a URL. */
const USER_INFO = /(?<=\w:\/\/)[^\s/@?#"']+@/g
/** Where the secrets below can be: they contain no other characters. */
const RUN = /[\w.+/=:~-]{15,}/g
/** Keys and tokens of AWS, Google, GitHub, GitLab, Slack, Stripe, OpenAI and others, which begin with a prefix. */
const PREFIXED =
  /\b(?:(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{12,}|AIza[\w-]{30,}|ya29\.[\w-]{16,}|1\/\/0[\w-]{20,}|GOCSPX-[\w-]{20,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct)-[\w.-]{16,}|xox[abcdeoprs]-[\w-]{10,}|xapp-[\w-]{10,}|hooks\.slack\.com\/services\/[\w/]+|(?:sk|rk|pk|whsec)_(?:(?:live|test|prod)_)?[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{16,}={0,2}|sk-[\w-]{16,}|ATATT3[\w=-]{16,}|EAA[A-Z][A-Za-z0-9]{24,}|SK[0-9a-f]{32}\b|\d{8,10}:AA[\w-]{30,}|[MNO][A-Za-z\d]{23,25}\.[\w-]{6}\.[\w-]{27,})/g
/** Prefixes that are also words, so that a digit has to follow. */
const WORD_PREFIXED =
  /\b(?:hf|npm|pypi|dckr_pat|dop_v1|doo_v1|dor_v1|shpat|shpca|shppa|shpss|lin_api|ntn|secret|pat|pscale_tkn|pscale_pw|fio-u|figd|r8|gsk|xai|tvly|re|whsec|rnd|sbp|sntrys|sntryu|glsa|dp\.pt|nvapi|pplx|vercel|cfut|pul|tfp|atlasv1|ATATT3|ATCTT3|ATBB|NRAK|EAAC|EAAG|SG|key|PMAK|AGE-SECRET-KEY|hvs|hvb|ddp|ddapi|sq0atp|sq0csp|EAAA|live|test)[_.-][\w.-]{16,}/g
const TERRAFORM = /(?<![\w-])[\w-]{1,64}\.atlasv1\.[\w-]{16,}/g
const JSON_WEB_TOKEN = /\beyJ[\w-]{8,}(?:\.[\w-]{4,}(?:\.[\w-]*){0,3})?/g
/** Long random text: hexadecimal digits, or a mix of letters and digits in base64. */
const HEXADECIMAL = /(?<!\w)[0-9a-f]{32,}(?!\w)/gi
const BASE64 = /(?<![\w+/-])[\w+/-]{32,}={0,2}/g
/** The separator after the name in `name=value`, `name: value` and `"name": "value"`. */
const SEPARATOR = /[:=]\s*/g
const MAX_NAME_LENGTH = 128
const MAX_SPACES = 64
const MAX_ESCAPES = 8
/** Without one of these there is no secret. */
const SUSPICIOUS = /[:=]|[\w.+/~-]{15}|-----BEGIN|\b(?:bearer|dpop|basic)\s/i
/** A value: text in escaped quotation marks, in quotation marks, in brackets, or up to a separator. */
const VALUE = /(\\{1,15}")((?:(?!\1)[\s\S])+)|(")((?:[^"\\]|\\.)+)|(')([^']+)|(\[)([^\]]+)|()([^\s"'&;,\\)}\]{]+)/y
/** A value that may have several words: of `Cookie`, and of `Authorization` after the scheme. */
const COOKIES = /()([^\r\n"'\\]+)/y
const AUTHORIZATION = /((?:\w+[^\S\r\n]+)?)([^\s"'&;,\\)}\]]+)/y
/** Values that say what a value is, and types in descriptions of tools. */
const NO_VALUE = /^(?:true|false|null|undefined|none|string|number|integer|boolean|object|array|any|unknown)$/i

type Replace = (secret: string) => string

/** Replaces the secrets in a text. A text with a secret that only shows after percent-decoding, such as a URI, is decoded. */
export function replaceSecrets(text: string, replace: Replace, options: SecretOptions = {}): string {
  const safe: Replace = (secret) => (isMasked(secret) ? secret : replace(secret))
  const replaced = replacePlain(text, safe, options)
  if (!replaced.includes('%')) return replaced
  const decoded = decode(replaced)
  const decodedReplaced = replacePlain(decoded, safe, options)
  return decodedReplaced === decoded ? replaced : decodedReplaced
}

function replacePlain(
  text: string,
  replace: Replace,
  { random = true, patterns = [], isSecretName: further }: SecretOptions,
): string {
  if (!SUSPICIOUS.test(text)) return replacePatterns(text, replace, patterns)
  let rest = text
  if (rest.includes('-----BEGIN')) rest = rest.replace(PRIVATE_KEY, replace)
  rest = rest.replace(CREDENTIALS, (match) => {
    const [scheme = ''] = /^\S+\s+/.exec(match) ?? []
    const credentials = match.slice(scheme.length)
    return isCredentials(scheme, credentials) ? scheme + replace(credentials) : match
  })
  if (rest.includes('://')) rest = rest.replace(USER_INFO, (userInfo) => `${replace(userInfo.slice(0, -1))}@`)
  rest = rest.replace(RUN, (run) => replaceInRun(run, replace, random))
  return replacePatterns(replaceNamed(rest, replace, further), replace, patterns)
}

function replacePatterns(text: string, replace: Replace, patterns: readonly RegExp[]): string {
  return patterns.reduce((rest, pattern) => rest.replace(pattern, (match) => replace(match)), text)
}

function replaceInRun(run: string, replace: Replace, random: boolean): string {
  const rest = run
    .replace(JSON_WEB_TOKEN, (match) => (match.includes('.') ? replace(match) : match))
    .replace(PREFIXED, replace)
    .replace(WORD_PREFIXED, (match) => (/\d/.test(match) ? replace(match) : match))
    .replace(TERRAFORM, replace)
  return random ? rest.replace(HEXADECIMAL, replace).replace(BASE64, (match) => (isMixed(match) ? replace(match) : match)) : rest
}

/** `Basic` and `Bearer` are words as well. Parameters of a challenge follow them, too. */
function isCredentials(scheme: string, credentials: string): boolean {
  if (/^[a-z_]+=$/.test(credentials)) return false
  return !/^basic/i.test(scheme) || /^[a-z+/]*[\d=]/i.test(credentials)
}

/** Reports whether a text has digits and letters of both cases. Paths have them too, but their characters change less often. */
function isMixed(text: string): boolean {
  if (!(/\d/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text))) return false
  if (!text.includes('/')) return true
  const start = text.slice(0, 512)
  return (start.match(CHANGE)?.length ?? 0) > start.length / 4
}
const CHANGE = /(?:[a-z](?=[A-Z0-9])|[A-Z](?=[a-z0-9])|[0-9](?=[A-Za-z]))/g

/** Replaces the values whose names say that they are secrets. */
function replaceNamed(text: string, replace: Replace, further: SecretOptions['isSecretName']): string {
  const parts: string[] = []
  let end = 0
  SEPARATOR.lastIndex = 0
  for (let match = SEPARATOR.exec(text); match; match = SEPARATOR.exec(text)) {
    const place = nameBefore(text, match.index)
    if (!place || place.start < end || !isSecretPlace(text, place, further)) continue
    const value = readValue(text, SEPARATOR.lastIndex, place.name)
    if (!value) continue
    parts.push(text.slice(end, value.start), replace(text.slice(value.start, value.end)))
    end = value.end
    SEPARATOR.lastIndex = end
  }
  return end === 0 ? text : parts.join('') + text.slice(end)
}

interface NamePlace {
  /** One or two words. */
  readonly name: string
  readonly start: number
  /** The separator behind the name. */
  readonly at: number
  readonly isQuoted: boolean
}

/** Finds the name before a separator. Looks back a limited number of characters. */
function nameBefore(text: string, at: number): NamePlace | undefined {
  const skip = (from: number, accepts: (code: number) => boolean, max: number): number => {
    let to = from
    while (to > 0 && from - to < max && accepts(text.charCodeAt(to - 1))) to--
    return to
  }
  const afterQuote = skip(at, isSpace, MAX_SPACES)
  const afterEscapes = skip(afterQuote, isQuote, 1)
  const nameEnd = afterEscapes === afterQuote ? afterQuote : skip(afterEscapes, isBackslash, MAX_ESCAPES)
  const word = skip(nameEnd, isNameCode, MAX_NAME_LENGTH)
  if (word === nameEnd) return undefined
  const isSpaced = text.charAt(word - 1) === ' '
  const start = isSpaced ? skip(word - 1, isNameCode, MAX_NAME_LENGTH) : word
  const first = start === word - 1 ? word : start
  return { name: text.slice(first, nameEnd), start: first, at, isQuoted: afterEscapes !== afterQuote }
}

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13)
const isQuote = (code: number): boolean => code === 34 || code === 39
const isBackslash = (code: number): boolean => code === 92
const isNameCode = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || code === 45

/** In prose, short names such as `pin` need quotation marks or an equals sign. Parameters of URLs and forms have more names. */
function isSecretPlace(text: string, { name, start, at, isQuoted }: NamePlace, further: SecretOptions['isSecretName']): boolean {
  if (further?.(name)) return true
  const isAssignment = text.charAt(at) === '='
  if (isAssignment && /^[?&]?$/.test(text.charAt(start - 1))) return isSecretParameter(name)
  return isSecretName(name) && (isAssignment || isQuoted || !isShortSecretName(name))
}

interface ValuePlace {
  readonly start: number
  readonly end: number
}

function readValue(text: string, at: number, name: string): ValuePlace | undefined {
  // The rest of the text may be one value. It is not read again for each masked value in it.
  if (isMasked(text.slice(at, at + 12))) return undefined
  const isQuoted = /["'\\[]/.test(text.charAt(at))
  const pattern = isQuoted ? VALUE : /cookie$/i.test(name) ? COOKIES : /authorization$/i.test(name) ? AUTHORIZATION : VALUE
  pattern.lastIndex = at
  const groups = pattern.exec(text)?.slice(1) ?? []
  const found = groups.findIndex((group, index) => index % 2 === 1 && group !== undefined)
  const value = groups[found] ?? ''
  if (value === '' || NO_VALUE.test(value)) return undefined
  const start = at + (groups[found - 1] ?? '').length
  return { start, end: start + value.length }
}

/** Reports whether a secret has been replaced already. */
function isMasked(text: string): boolean {
  return text.includes('[redacted') || text.includes(BULLETS)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text.replace(/%[0-7][0-9a-f]/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
  }
}
