/** One challenge of a `WWW-Authenticate` header. */
export interface Challenge {
  /** The authentication scheme in lower case, such as `bearer`. */
  readonly scheme: string
  /** The parameters, by name in lower case. */
  readonly parameters: ReadonlyMap<string, string>
}

/** The demands of a challenge for an access token. */
export interface BearerChallenge {
  /** The URL of the resource metadata. It may be relative. */
  readonly resourceMetadata?: string | undefined
  /** Further URLs of the resource metadata, if the challenges contain several. */
  readonly otherResourceMetadata?: readonly string[]
  /** The scopes that the request needs. */
  readonly scope?: string | undefined
  readonly error?: string | undefined
  /** The `error_description`. */
  readonly description?: string | undefined
}

const SEPARATORS = /[\s,]*/y
const BLANKS = /[ \t]*/y
const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y
const TOKEN68 = /[A-Za-z0-9\-._~+/]+=*(?=[ \t]*(?:,|$))/y
/** More than the grammar allows, because some servers send URLs without quotes. */
const UNQUOTED = /[^\s,"]+/y
/** Not allowed either, and sent by some servers. */
const SINGLE_QUOTED = /'[^'"]*'(?=[\s,]|$)/y

/**
 * Parses the challenges of a `WWW-Authenticate` header, up to where it is malformed. Takes linear time for any input. Of repeated parameters,
 * the first counts.
 * https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
 */
export function readChallenges(header: string): Challenge[] {
  return parseChallenges(header).map(({ scheme, parameters }) => {
    const first = new Map<string, string>()
    for (const [name, value] of parameters) if (!first.has(name)) first.set(name, value)
    return { scheme, parameters: first }
  })
}

/** A challenge with all its parameters in order, also repeated ones. */
interface ParsedChallenge {
  readonly scheme: string
  readonly parameters: [name: string, value: string][]
}

function parseChallenges(header: string): ParsedChallenge[] {
  const challenges: ParsedChallenge[] = []
  let at = 0
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const [match = ''] = pattern.exec(header) ?? []
    at += match.length
    return match
  }
  const takeValue = (): string => {
    const quoted = header[at] === '"' ? readQuoted(header, at) : undefined
    if (!quoted) return take(SINGLE_QUOTED).slice(1, -1) || take(UNQUOTED)
    at = quoted.end
    return quoted.text
  }
  for (take(SEPARATORS); at < header.length; take(SEPARATORS)) {
    const name = take(TOKEN).toLowerCase()
    if (name === '') break
    take(BLANKS)
    const current = challenges.at(-1)
    if (current && header[at] === '=') {
      at++
      take(BLANKS)
      current.parameters.push([name, takeValue()])
    } else {
      challenges.push({ scheme: name, parameters: [] })
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
  const parameters = parseChallenges(header ?? '').flatMap((challenge) =>
    challenge.scheme === 'bearer' || challenge.scheme === 'dpop' ? challenge.parameters : [],
  )
  const all = (name: string): string[] => parameters.flatMap(([one, value]) => (one === name && value !== '' ? [value] : []))
  const [resourceMetadata, ...others] = new Set(all('resource_metadata'))
  const [[scope], [error], [description]] = [all('scope'), all('error'), all('error_description')]
  return { resourceMetadata, scope, error, description, ...(others.length > 0 && { otherResourceMetadata: others }) }
}
