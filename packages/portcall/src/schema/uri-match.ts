/**
 * URI templates, read backwards. An expression is ambiguous in general, and a regular expression would try all readings. Instead, one pass from
 * right to left notes for each piece of the template at which positions the rest of the URI fits the rest of the template; one pass from left
 * to right then walks along these notes without ever turning back. Time and space are (pieces × characters).
 */
import type { Expression, Operator, Part, Variable } from './uri-parts.ts'

type Values = { [name: string]: string | string[] }

/** A piece of a template that matches a run of characters. */
interface Span {
  /** The characters of which one has to stand before the run. */
  readonly open: string
  /** The characters that the run cannot hold. */
  readonly stop: string
  /** Neither opener nor run need to be there. */
  readonly optional: boolean
  /** The run may be empty. */
  readonly empty: boolean
  /** The variable that is an empty list when nothing is there. */
  readonly list?: Variable | undefined
  /** Takes the values out of the run; `false` when it holds something else. */
  read(run: string, values: Values): boolean
}

type Piece = string | Span

/** Makes the function that reads the values of a template out of a URI. */
export function createMatcher(parts: readonly Part[]): (uri: string) => Values | undefined {
  const pieces = toPieces(parts)
  const start = typeof pieces[0] === 'string' ? pieces[0] : ''
  return (uri) => {
    if (!uri.startsWith(start) || /[\x00-\x20\x7f]/.test(uri)) return undefined
    const fits = fitsFrom(pieces, uri)
    return fits[0]?.[0] ? readPieces(pieces, uri, fits) : undefined
  }
}

function toPieces(parts: readonly Part[]): Piece[] {
  return joinQueries(parts).flatMap((part): Piece[] => (typeof part === 'string' ? [part] : SPANS[part.operator](part.variables)))
}

/** `{?q}{&n}` is one query: what is in it may come in any order. */
function joinQueries(parts: readonly Part[]): Part[] {
  const joined: Part[] = []
  for (const part of parts) {
    const before = joined.at(-1)
    if (typeof part === 'object' && typeof before === 'object' && isQuery(part) && isQuery(before))
      joined[joined.length - 1] = { operator: before.operator, variables: [...before.variables, ...part.variables] }
    else joined.push(part)
  }
  return joined
}

function isQuery({ operator }: Expression): boolean {
  return operator === '?' || operator === '&'
}

/** How the variables of an expression become spans. */
const SPANS: { readonly [O in Operator]: (variables: readonly Variable[]) => Span[] } = {
  '': (variables) => [listSpan(variables, { open: '', stop: '/?#', optional: false, separator: ',' })],
  '+': (variables) => [listSpan(variables, { open: '', stop: '', optional: false, separator: ',' })],
  '#': (variables) => [listSpan(variables, { open: '#', stop: '', optional: true, separator: ',' })],
  '.': (variables) => variables.map((one) => listSpan([one], { open: '.', stop: '/?#', optional: one.explode, separator: '.' })),
  '/': (variables) =>
    variables.map((one) =>
      listSpan([one], { open: '/', stop: one.explode ? '?#' : '/?#', optional: one.explode, separator: '/' }),
    ),
  ';': (variables) => [namedSpan(variables, { open: ';', stop: '/?#', separator: ';' })],
  '?': (variables) => [namedSpan(variables, { open: '?&', stop: '#', separator: '&' })],
  '&': (variables) => [namedSpan(variables, { open: '?&', stop: '#', separator: '&' })],
}

interface ListShape {
  readonly open: string
  readonly stop: string
  readonly optional: boolean
  readonly separator: string
}

function listSpan(variables: readonly Variable[], { open, stop, optional, separator }: ListShape): Span {
  const exploded = variables.findIndex(({ explode }) => explode)
  const [only] = variables
  const read = (run: string, values: Values): boolean => {
    if (exploded < 0 && variables.length === 1 && only) return take(values, only, run)
    const items = run.split(separator)
    const surplus = items.length - variables.length
    if (surplus < 0 && !optional) return false
    return variables.every((variable, index) => {
      const from = exploded >= 0 && index > exploded ? index + surplus : index
      if (variable.explode) return index === exploded && take(values, variable, items.slice(from, from + surplus + 1))
      const last = exploded < 0 && index === variables.length - 1
      const item = last ? items.slice(from).join(separator) : items[from]
      return item === undefined || take(values, variable, item)
    })
  }
  return { open, stop, optional, empty: optional, list: open === '#' ? undefined : variables[exploded], read }
}

function namedSpan(variables: readonly Variable[], { open, stop, separator }: Omit<ListShape, 'optional'>): Span {
  const known = new Map(variables.map((variable) => [variable.name, variable]))
  const read = (run: string, values: Values): boolean => {
    const lists = new Map<Variable, string[]>()
    for (const pair of run.split(separator)) if (!gather(pair, known, lists)) return false
    return [...lists].every(([variable, items]) => take(values, variable, variable.explode ? items : (items[0] ?? '')))
  }
  return { open, stop, optional: true, empty: false, read }
}

/** Puts one `name=value` to the others of its name; `false` when the name is unknown, or comes twice and is no list. */
function gather(pair: string, known: ReadonlyMap<string, Variable>, lists: Map<Variable, string[]>): boolean {
  const [name = '', ...rest] = pair.split('=')
  const variable = known.get(name)
  const items = variable && lists.get(variable)
  if (!variable || (items && !variable.explode)) return false
  const text = rest.join('=')
  if (items) items.push(text)
  else lists.set(variable, [text])
  return true
}

/** For each piece and each position: does the rest of the URI fit from here on? */
function fitsFrom(pieces: readonly Piece[], uri: string): Uint8Array[] {
  const end = new Uint8Array(uri.length + 1)
  end[uri.length] = 1
  const fits: Uint8Array[] = [end]
  for (const piece of pieces.toReversed()) {
    const after = fits[0] ?? end
    fits.unshift(typeof piece === 'string' ? literalFits(piece, uri, after) : spanFits(piece, uri, after))
  }
  return fits
}

function literalFits(text: string, uri: string, after: Uint8Array): Uint8Array {
  const fits = new Uint8Array(uri.length + 1)
  for (let at = uri.indexOf(text); at >= 0; at = uri.indexOf(text, at + 1)) fits[at] = after[at + text.length] ?? 0
  return fits
}

function spanFits({ open, stop, optional, empty }: Span, uri: string, after: Uint8Array): Uint8Array {
  const runs = new Uint8Array(uri.length + 1)
  for (let at = uri.length - 1; at >= 0; at--)
    if (!stop.includes(uri.charAt(at))) runs[at] = (after[at + 1] ?? 0) | (runs[at + 1] ?? 0)
  if (open === '') return runs
  const fits = new Uint8Array(uri.length + 1)
  for (let at = 0; at < uri.length; at++)
    if (open.includes(uri.charAt(at))) fits[at] = (runs[at + 1] ?? 0) | (empty ? (after[at + 1] ?? 0) : 0)
  if (optional) for (let at = 0; at <= uri.length; at++) fits[at] = (fits[at] ?? 0) | (after[at] ?? 0)
  return fits
}

function readPieces(pieces: readonly Piece[], uri: string, fits: readonly Uint8Array[]): Values | undefined {
  const values: Values = {}
  let at = 0
  for (const [index, piece] of pieces.entries()) {
    const after = fits[index + 1] ?? new Uint8Array()
    const next = typeof piece === 'string' ? at + piece.length : readSpan(piece, { uri, at, after }, values)
    if (next === undefined) return undefined
    at = next
  }
  return climbs(decode(uri.split(/[?#]/, 1)[0] ?? '')) ? undefined : values
}

/** Reads one span as short as what comes after it allows; gives where it ends, or nothing when its values do not fit. */
function readSpan(span: Span, where: { uri: string; at: number; after: Uint8Array }, values: Values): number | undefined {
  const { uri, at, after } = where
  if (span.optional && after[at]) {
    if (span.list) take(values, span.list, [])
    return at
  }
  const from = at + (span.open === '' ? 0 : 1)
  let end = from + (span.empty ? 0 : 1)
  while (end < uri.length && !after[end]) end++
  return span.read(uri.slice(from, end), values) ? end : undefined
}

/** Stores what was found for a variable, decoded; `false` when it must not be, or when it was something else before. */
function take(values: Values, { name, prefix }: Variable, found: string | string[]): boolean {
  const items = [found].flat().map(decode)
  if (items.some((item) => climbs(item))) return false
  const decoded = items.filter((item) => item !== undefined)
  const value = Array.isArray(found) ? decoded : (decoded[0] ?? '')
  if (prefix !== undefined && Array.from(value).length > prefix) return false
  const before = Object.hasOwn(values, name) ? values[name] : undefined
  if (before !== undefined && JSON.stringify(before) !== JSON.stringify(value)) return false
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

/** Tells whether a value could lead out of where it is put; so could one that cannot be decoded. */
function climbs(value: string | undefined): boolean {
  return value === undefined || value.includes('\0') || value.split(/[\\/]/).includes('..')
}
