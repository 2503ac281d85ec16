import { isStrings } from '../../../util/src/strings.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { CARD_SCHEMA, type ServerCard } from '../protocol/server-card.ts'
import { createReporter, type DocumentProblem, type Report } from './document-problem.ts'

/**
 * Checks a server card: everything that its JSON schema requires, and the rules that the schema cannot express. Returns the problems; none means
 * that the document is a `ServerCard`. Unknown members are accepted.
 */
export function validateServerCard(card: unknown): DocumentProblem[] {
  const { problems, report } = createReporter()
  const at = (path: string): Place => ({ path, report })
  if (!isObject(card)) report('', 'must be a JSON object')
  else {
    checkMembers(card, { $schema: requiredMember({ text: CARD_SCHEMA, accepts: (value) => value === CARD_SCHEMA }) }, at(''))
    checkDescription(card, report)
  }
  return problems
}

/** Checks the members that a server card and `server.json` have in common. */
export function checkDescription(document: JsonObject, report: Report): void {
  const at = (path: string): Place => ({ path, report })
  checkMembers(document, MEMBERS, at(''))
  checkExactVersion(document.version, at('version'))
  checkCardItems(document.icons, at('icons'), (icon, place) => checkMembers(icon, ICON, place))
  checkCardItems(document.remotes, at('remotes'), checkRemote)
  if (isObject(document.repository)) checkMembers(document.repository, REPOSITORY, at('repository'))
}

/** Reports whether a document is a valid server card. */
export function isServerCard(card: unknown): card is ServerCard {
  return validateServerCard(card).length === 0
}

/** A rule of a member: a test, and what the value must be. */
export interface MemberRule {
  readonly isRequired?: boolean
  readonly text: string
  accepts(value: unknown): boolean
}

/** Rules by the name of the member. */
export type MemberRules = { readonly [name: string]: MemberRule }

/** Any text. */
export const TEXT: MemberRule = { text: 'a text', accepts: (value) => typeof value === 'string' }
/** A boolean. */
export const FLAG: MemberRule = { text: 'true or false', accepts: (value) => typeof value === 'boolean' }
/** Any array. */
export const ARRAY: MemberRule = { text: 'an array', accepts: Array.isArray }
const TEXTS: MemberRule = { text: 'an array of texts', accepts: isStrings }
/** Any object. */
export const OBJECT: MemberRule = { text: 'an object', accepts: isObject }
/** A URI: a scheme, and only the characters of RFC 3986. */
export const URI: MemberRule = {
  text: 'an absolute URI',
  accepts: (value) => matches(value, /^[a-z][a-z0-9+.-]*:(?:[a-z0-9._~:/?#[\]@!$&'()*+,;=-]|%[0-9a-f]{2})+$/i),
}
/** Makes a member mandatory. */
export const requiredMember = (rule: MemberRule): MemberRule => ({ ...rule, isRequired: true })
const text = (max: number): MemberRule => ({
  text: `a text of 1 to ${max} characters`,
  accepts: (value) => typeof value === 'string' && value !== '' && (value.length <= max || [...value].length <= max),
})
/** One of these texts. */
export const oneOfTexts = (...values: readonly string[]): MemberRule => ({
  text: values.join(' or '),
  accepts: (value) => values.includes(value as string),
})

const MAX_NAME_LENGTH = 200
const MAX_VERSION_LENGTH = 255
const MAX_TEXT_LENGTH = 100

const MEMBERS: MemberRules = {
  name: requiredMember({
    text: `a name such as com.example/weather, with one slash, up to ${MAX_NAME_LENGTH} characters`,
    accepts: (value) => matches(value, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/) && value.length <= MAX_NAME_LENGTH,
  }),
  version: requiredMember({
    text: `a text of up to ${MAX_VERSION_LENGTH} characters`,
    accepts: (value) => typeof value === 'string' && value.length <= MAX_VERSION_LENGTH,
  }),
  description: requiredMember(text(MAX_TEXT_LENGTH)),
  title: text(MAX_TEXT_LENGTH),
  websiteUrl: URI,
  repository: OBJECT,
  icons: ARRAY,
  remotes: ARRAY,
  _meta: OBJECT,
}
const ICON: MemberRules = {
  src: requiredMember({
    text: 'a URL with http, https or data',
    accepts: (value) => URI.accepts(value) && matches(value, /^(https?|data):/i),
  }),
  mimeType: TEXT,
  sizes: TEXTS,
  theme: oneOfTexts('light', 'dark'),
}
const REPOSITORY: MemberRules = { url: requiredMember(URI), source: requiredMember(TEXT), subfolder: TEXT, id: TEXT }
const REMOTE: MemberRules = {
  type: requiredMember(oneOfTexts('streamable-http', 'sse')),
  url: requiredMember({
    text: 'a URL with http or https, or one that begins with a variable',
    accepts: (value) => matches(value, /^(https?:\/\/\S+|\{[a-zA-Z_][a-zA-Z0-9_]*\}\S*)$/),
  }),
  headers: ARRAY,
  variables: OBJECT,
  supportedProtocolVersions: TEXTS,
}
const INPUT: MemberRules = {
  description: TEXT,
  isRequired: FLAG,
  isSecret: FLAG,
  format: oneOfTexts('string', 'number', 'boolean', 'filepath'),
  default: TEXT,
  placeholder: TEXT,
  value: TEXT,
  choices: TEXTS,
}
const WITH_VARIABLES: MemberRules = { ...INPUT, variables: OBJECT }

/** The forms in which packages name several versions at once. */
const VERSION_RANGE = /^[\^~<>=]|\*|(?:^|\.)[xX](?:\.|$)|\s-\s|\|\|/

/** A place in a document, and what receives the problems there. */
export interface Place {
  readonly path: string
  readonly report: Report
}

/** Reports a range of versions. */
export function checkExactVersion(version: unknown, { path, report }: Place): void {
  if (matches(version, VERSION_RANGE)) report(path, 'must be one version, not a range')
}

function checkRemote(remote: JsonObject, place: Place): void {
  checkMembers(remote, REMOTE, place)
  const variables = isObject(remote.variables) ? remote.variables : {}
  checkInputs(variables, within(place, '.variables'))
  checkPlaceholders(remote.url, [variables], within(place, '.url'))
  checkNamedInputs(remote.headers, within(place, '.headers'), (header, own, at) =>
    checkPlaceholders(header.value, [own, variables], within(at, '.value')),
  )
}

/** Checks a list of headers or environment variables. */
export function checkNamedInputs(
  list: unknown,
  place: Place,
  check?: (input: JsonObject, variables: JsonObject, place: Place) => void,
): void {
  checkCardItems(list, place, (input, at) => {
    checkMembers(input, { name: requiredMember(TEXT) }, at)
    const variables = checkInput(input, at)
    check?.(input, variables, at)
  })
}

/** Checks a value that may have variables, and returns these. */
export function checkInput(input: JsonObject, place: Place): JsonObject {
  checkMembers(input, WITH_VARIABLES, place)
  checkSecret(input, place)
  const variables = isObject(input.variables) ? input.variables : {}
  checkInputs(variables, within(place, '.variables'))
  return variables
}

function checkInputs(variables: JsonObject, place: Place): void {
  for (const [name, input] of Object.entries(variables)) {
    const at = within(place, `.${name}`)
    if (isObject(input)) {
      checkMembers(input, INPUT, at)
      checkSecret(input, at)
    } else at.report(at.path, 'must be an object')
  }
}

/** A value that everybody can read is no secret. A template such as `Bearer {token}` is none either. */
function checkSecret({ isSecret, value, default: fallback }: JsonObject, { path, report }: Place): void {
  const given = [value, fallback].some((one) => typeof one === 'string' && !/\{\w+\}/.test(one))
  if (isSecret === true && given) report(path, 'must not have a value: it is secret, and cards are public')
}

function checkPlaceholders(template: unknown, variables: readonly JsonObject[], { path, report }: Place): void {
  if (typeof template !== 'string') return
  for (const [, name = ''] of template.matchAll(/\{([a-zA-Z_][a-zA-Z0-9_]*)\}/g))
    if (!variables.some((all) => Object.hasOwn(all, name))) report(path, `names the variable {${name}}, which is not declared`)
}

/** Reports members that are missing or break their rule. */
export function checkMembers(value: JsonObject, rules: MemberRules, { path, report }: Place): void {
  for (const [name, rule] of Object.entries(rules)) {
    const at = path === '' ? name : `${path}.${name}`
    const member = Object.hasOwn(value, name) ? value[name] : undefined
    if (member === undefined) {
      if (rule.isRequired) report(at, 'is missing')
    } else if (!rule.accepts(member)) report(at, `must be ${rule.text}`)
  }
}

/** Checks the items of an array: each is an object. */
export function checkCardItems(value: unknown, place: Place, check: (item: JsonObject, place: Place) => void): void {
  if (!Array.isArray(value)) return
  value.forEach((item, index) => {
    const at = within(place, `[${index}]`)
    if (isObject(item)) check(item, at)
    else at.report(at.path, 'must be an object')
  })
}

/** Returns the place of a part. */
export function within({ path, report }: Place, part: string): Place {
  return { path: path + part, report }
}

/** Reports whether a value is a text that fits a pattern. */
export function matches(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value)
}
