/**
 * Matches URIs against templates. An expression is ambiguous in general, and a regular expression would backtrack through all readings.
 * Instead, a pass from right to left computes for each piece of the template at which positions the remaining URI matches the remaining
 * template. A pass from left to right then reads the values without backtracking. Time and space are O(pieces × characters).
 */
import type { Operator, TemplateExpression, TemplatePart, TemplateVariable } from './parse.ts'

type Values = { [name: string]: string | string[] }

/** A piece of a template that matches a variable run of characters. */
interface Span {
  /** One of these characters must precede the run. */
  readonly open: string
  /** The run does not contain these characters. */
  readonly stop: string
  /** True if both the preceding character and the run may be absent. */
  readonly optional: boolean
  /** True if the run may be empty. */
  readonly empty: boolean
  /** The variable that is an empty array if the run is absent. */
  readonly list?: TemplateVariable | undefined
  /** Reads the values from the run. Returns `false` if it is not a valid expansion. */
  read(run: string, values: Values): boolean
}

type Piece = string | Span

/** Returns a function that reads the values of a template from a URI, and returns `undefined` if the URI does not match. */
export function createMatcher(parts: readonly TemplatePart[]): (uri: string) => Values | undefined {
  const pieces = toPieces(parts)
  const start = typeof pieces[0] === 'string' ? pieces[0] : ''
  return (uri) => {
    if (!uri.startsWith(start) || /[\x00-\x20\x7f]/.test(uri)) return undefined
    const matches = matchPositions(pieces, uri)
    return matches[0]?.[0] ? readPieces(pieces, uri, matches) : undefined
  }
}

function toPieces(parts: readonly TemplatePart[]): Piece[] {
  return joinQueries(parts).flatMap((part): Piece[] => (typeof part === 'string' ? [part] : SPANS[part.operator](part.variables)))
}

/** Joins adjacent query expressions, such as `{?q}{&n}`, because the parameters of a query may be in any order. */
function joinQueries(parts: readonly TemplatePart[]): TemplatePart[] {
  const joined: TemplatePart[] = []
  for (const part of parts) {
    const previous = joined.at(-1)
    if (typeof part === 'object' && typeof previous === 'object' && isQuery(part) && isQuery(previous))
      joined[joined.length - 1] = { operator: previous.operator, variables: [...previous.variables, ...part.variables] }
    else joined.push(part)
  }
  return joined
}

function isQuery({ operator }: TemplateExpression): boolean {
  return operator === '?' || operator === '&'
}

/** Converts the variables of an expression to spans, by operator. */
const SPANS: { readonly [O in Operator]: (variables: readonly TemplateVariable[]) => Span[] } = {
  '': (variables) => [listSpan(variables, { open: '', stop: '/?#', optional: false, separator: ',' })],
  '+': (variables) => [listSpan(variables, { open: '', stop: '', optional: false, separator: ',' })],
  '#': (variables) => [listSpan(variables, { open: '#', stop: '', optional: true, separator: ',' })],
  '.': (variables) =>
    variables.map((one, at) => listSpan([one], { open: '.', stop: '/?#', optional: one.explode || at > 0, separator: '.' })),
  '/': (variables) =>
    variables.map((one, at) =>
      listSpan([one], { open: '/', stop: one.explode ? '?#' : '/?#', optional: one.explode || at > 0, separator: '/' }),
    ),
  ';': (variables) => [namedSpan(variables, { open: ';', stop: '/?#', separator: ';' })],
  // Clients and proxies add parameters to queries.
  '?': (variables) => [namedSpan(variables, { open: '?&', stop: '#', separator: '&', ignoresOthers: true })],
  '&': (variables) => [namedSpan(variables, { open: '?&', stop: '#', separator: '&', ignoresOthers: true })],
}

interface ListShape {
  readonly open: string
  readonly stop: string
  readonly optional: boolean
  readonly separator: string
}

function listSpan(variables: readonly TemplateVariable[], { open, stop, optional, separator }: ListShape): Span {
  const exploded = variables.findIndex(({ explode }) => explode)
  const [only] = variables
  const read = (run: string, values: Values): boolean => {
    if (exploded < 0 && variables.length === 1 && only) return store(values, only, run)
    const items = run.split(separator)
    const surplus = items.length - variables.length
    // Variables without a value are left out of a URI: the last ones, as nothing says which.
    const present = variables.slice(0, exploded < 0 ? items.length : undefined)
    if (surplus < 0 && exploded >= 0 && !optional) return false
    return present.every((variable, index) => {
      const from = exploded >= 0 && index > exploded ? index + surplus : index
      if (variable.explode) return index === exploded && store(values, variable, items.slice(from, from + surplus + 1))
      const last = exploded < 0 && index === variables.length - 1
      const item = last ? items.slice(from).join(separator) : items[from]
      return item === undefined || store(values, variable, item)
    })
  }
  return { open, stop, optional, empty: optional, list: open === '#' ? undefined : variables[exploded], read }
}

function namedSpan(
  variables: readonly TemplateVariable[],
  { open, stop, separator, ignoresOthers = false }: Omit<ListShape, 'optional'> & { readonly ignoresOthers?: boolean },
): Span {
  const known = new Map(variables.map((variable) => [variable.name, variable]))
  const read = (run: string, values: Values): boolean => {
    const lists = new Map<TemplateVariable, string[]>()
    for (const pair of run.split(separator)) {
      const [name = ''] = pair.split('=', 1)
      const variable = known.get(name) ?? known.get(decode(name) ?? '')
      if (variable ? !addPair(pair, variable, lists) : !ignoresOthers) return false
    }
    return [...lists].every(([variable, items]) => store(values, variable, variable.explode ? items : (items[0] ?? '')))
  }
  return { open, stop, optional: true, empty: false, read }
}

/** Adds one `name=value` to the values of its variable. Returns `false` if the variable is repeated and not exploded. */
function addPair(pair: string, variable: TemplateVariable, lists: Map<TemplateVariable, string[]>): boolean {
  const [, ...rest] = pair.split('=')
  const items = lists.get(variable)
  if (items && !variable.explode) return false
  const text = rest.join('=')
  if (items) items.push(text)
  else lists.set(variable, [text])
  return true
}

/** Returns for each piece and each position whether the URI from this position on matches the template from this piece on. */
function matchPositions(pieces: readonly Piece[], uri: string): Uint8Array[] {
  const end = new Uint8Array(uri.length + 1)
  end[uri.length] = 1
  const matches: Uint8Array[] = [end]
  for (const piece of pieces.toReversed()) {
    const after = matches[0] ?? end
    matches.unshift(typeof piece === 'string' ? matchLiteral(piece, uri, after) : matchSpan(piece, uri, after))
  }
  return matches
}

function matchLiteral(text: string, uri: string, after: Uint8Array): Uint8Array {
  const matches = new Uint8Array(uri.length + 1)
  for (let at = uri.indexOf(text); at >= 0; at = uri.indexOf(text, at + 1)) matches[at] = after[at + text.length] ?? 0
  return matches
}

function matchSpan({ open, stop, optional, empty }: Span, uri: string, after: Uint8Array): Uint8Array {
  const runs = new Uint8Array(uri.length + 1)
  for (let at = uri.length - 1; at >= 0; at--)
    if (!stop.includes(uri.charAt(at))) runs[at] = (after[at + 1] ?? 0) | (runs[at + 1] ?? 0)
  if (open === '') return runs
  const matches = new Uint8Array(uri.length + 1)
  for (let at = 0; at < uri.length; at++)
    if (open.includes(uri.charAt(at))) matches[at] = (runs[at + 1] ?? 0) | (empty ? (after[at + 1] ?? 0) : 0)
  if (optional) for (let at = 0; at <= uri.length; at++) matches[at] = (matches[at] ?? 0) | (after[at] ?? 0)
  return matches
}

function readPieces(pieces: readonly Piece[], uri: string, matches: readonly Uint8Array[]): Values | undefined {
  const values: Values = {}
  let at = 0
  for (const [index, piece] of pieces.entries()) {
    const after = matches[index + 1] ?? new Uint8Array()
    const next = typeof piece === 'string' ? at + piece.length : readSpan(piece, { uri, at, after }, values)
    if (next === undefined) return undefined
    at = next
  }
  return escapesRoot(decode(uri.split(/[?#]/, 1)[0] ?? '')) ? undefined : values
}

/** Reads the shortest run after which the rest matches. Returns its end, or `undefined` if its values are invalid. */
function readSpan(span: Span, where: { uri: string; at: number; after: Uint8Array }, values: Values): number | undefined {
  const { uri, at, after } = where
  if (span.optional && after[at]) {
    if (span.list) store(values, span.list, [])
    return at
  }
  const from = at + (span.open === '' ? 0 : 1)
  let end = from + (span.empty ? 0 : 1)
  while (end < uri.length && !after[end]) end++
  return span.read(uri.slice(from, end), values) ? end : undefined
}

/** Stores the decoded value of a variable. Returns `false` if the value is not allowed, or differs from an earlier one. */
function store(values: Values, { name, prefix }: TemplateVariable, raw: string | string[]): boolean {
  const items = [raw].flat().map(decode)
  if (items.some((item) => escapesRoot(item))) return false
  const decoded = items.filter((item) => item !== undefined)
  const value = Array.isArray(raw) ? decoded : (decoded[0] ?? '')
  if (prefix !== undefined && Array.from(value).length > prefix) return false
  const previous = Object.hasOwn(values, name) ? values[name] : undefined
  if (previous !== undefined && JSON.stringify(previous) !== JSON.stringify(value)) return false
  Object.defineProperty(values, name, { value, enumerable: true, configurable: true, writable: true })
  return true
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Reports whether a value could escape the path that it is inserted into. Values that cannot be decoded count as escaping. */
function escapesRoot(value: string | undefined): boolean {
  return value === undefined || value.includes('\0') || value.split(/[\\/]/).includes('..')
}
