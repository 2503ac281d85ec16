/** One challenge of a `WWW-Authenticate` header. */
export interface Challenge {
  /** In lower case. */
  readonly scheme: string
  /** By their names in lower case. */
  readonly parameters: ReadonlyMap<string, string>
}

/** What a protected server wants, as far as its challenge says. */
export interface Demand {
  /** Where the metadata of the resource is. */
  readonly resourceMetadata?: string | undefined
  /** The scopes that the request needs. */
  readonly scope?: string | undefined
  readonly error?: string | undefined
}

const GAP = /[\s,]*/y
const BLANK = /[ \t]*/y
const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y
const TOKEN68 = /[A-Za-z0-9\-._~+/]+=*(?=[ \t]*(?:,|$))/y
/** More than the grammar allows: addresses are met without quotes. */
const BARE = /[^\s,"]+/y

/**
 * Reads a `WWW-Authenticate` header, in which several challenges may stand, up to where it is malformed. Takes time in proportion to its
 * length, whatever it holds. Of a parameter that is given twice, the first counts.
 * https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
 */
export function readChallenges(header: string): Challenge[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = []
  let at = 0
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const [found = ''] = pattern.exec(header) ?? []
    at += found.length
    return found
  }
  for (take(GAP); at < header.length; take(GAP)) {
    const name = take(TOKEN).toLowerCase()
    if (name === '') break
    take(BLANK)
    const current = challenges.at(-1)
    if (current && header[at] === '=') {
      at++
      take(BLANK)
      const quoted = header[at] === '"' ? readQuoted(header, at) : undefined
      const value = quoted?.text ?? take(BARE)
      at = quoted?.end ?? at
      if (!current.parameters.has(name)) current.parameters.set(name, value)
    } else {
      challenges.push({ scheme: name, parameters: new Map() })
      take(TOKEN68)
    }
  }
  return challenges
}

/** A quoted string that begins at a quote; one that never ends goes to the end. */
function readQuoted(header: string, start: number): { readonly text: string; readonly end: number } {
  let text = ''
  let from = start + 1
  for (let at = from; at < header.length; at++) {
    const sign = header[at]
    if (sign === '"') return { text: text + header.slice(from, at), end: at + 1 }
    if (sign !== '\\') continue
    text += header.slice(from, at)
    from = ++at
  }
  return { text: text + header.slice(from), end: header.length }
}

/** What the challenges for access tokens say together; each parameter from the first that has it. */
export function readDemand(header: string | undefined): Demand {
  const challenges = readChallenges(header ?? '').filter(({ scheme }) => scheme === 'bearer' || scheme === 'dpop')
  const first = (name: string): string | undefined =>
    challenges.map(({ parameters }) => parameters.get(name)).find((value) => value !== undefined && value !== '')
  return { resourceMetadata: first('resource_metadata'), scope: first('scope'), error: first('error') }
}
