/** One challenge of a `WWW-Authenticate` header. */
export interface Challenge {
  /** The authentication scheme in lower case, such as `bearer`. */
  readonly scheme: string
  /** The parameters, by name in lower case. */
  readonly parameters: ReadonlyMap<string, string>
}

/** What a challenge for an access token demands. */
export interface BearerChallenge {
  /** The URL of the resource metadata. */
  readonly resourceMetadata?: string | undefined
  /** The scopes that the request needs. */
  readonly scope?: string | undefined
  readonly error?: string | undefined
}

const SEPARATORS = /[\s,]*/y
const BLANKS = /[ \t]*/y
const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y
const TOKEN68 = /[A-Za-z0-9\-._~+/]+=*(?=[ \t]*(?:,|$))/y
/** More than the grammar allows, because some servers send URLs without quotes. */
const UNQUOTED = /[^\s,"]+/y

/**
 * Parses the challenges of a `WWW-Authenticate` header, up to where it is malformed. Takes linear time for any input. Of repeated parameters,
 * the first counts.
 * https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
 */
export function readChallenges(header: string): Challenge[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = []
  let at = 0
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const [match = ''] = pattern.exec(header) ?? []
    at += match.length
    return match
  }
  for (take(SEPARATORS); at < header.length; take(SEPARATORS)) {
    const name = take(TOKEN).toLowerCase()
    if (name === '') break
    take(BLANKS)
    const current = challenges.at(-1)
    if (current && header[at] === '=') {
      at++
      take(BLANKS)
      const quoted = header[at] === '"' ? readQuoted(header, at) : undefined
      const value = quoted?.text ?? take(UNQUOTED)
      at = quoted?.end ?? at
      if (!current.parameters.has(name)) current.parameters.set(name, value)
    } else {
      challenges.push({ scheme: name, parameters: new Map() })
      take(TOKEN68)
    }
  }
  return challenges
}

/** Reads the quoted string that starts at `start`. An unterminated string extends to the end of the header. */
function readQuoted(header: string, start: number): { readonly text: string; readonly end: number } {
  let text = ''
  let from = start + 1
  for (let at = from; at < header.length; at++) {
    const char = header[at]
    if (char === '"') return { text: text + header.slice(from, at), end: at + 1 }
    if (char !== '\\') continue
    text += header.slice(from, at)
    from = ++at
  }
  return { text: text + header.slice(from), end: header.length }
}

/** Merges the challenges with the schemes Bearer and DPoP. Each parameter comes from the first challenge that has it. */
export function readBearerChallenge(header: string | undefined): BearerChallenge {
  const challenges = readChallenges(header ?? '').filter(({ scheme }) => scheme === 'bearer' || scheme === 'dpop')
  const first = (name: string): string | undefined =>
    challenges.map(({ parameters }) => parameters.get(name)).find((value) => value !== undefined && value !== '')
  return { resourceMetadata: first('resource_metadata'), scope: first('scope'), error: first('error') }
}
