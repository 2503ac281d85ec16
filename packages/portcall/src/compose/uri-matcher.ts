import { equivalentUris, foldUri, foldUriPattern, isEncodedTooOften } from '../../../util/src/equivalent-uris.ts'
import { createNameMatcher, type NameMatcher } from '../../../util/src/name-matcher.ts'
import { normalUri } from '../../../util/src/normal-uri.ts'

/** Longer URIs, in characters, are not compared, as those that are encoded many times: rules that deny match them, and rules that allow do not. */
export const MAX_COMPARED_URI_LENGTH = 16_384

/** Matches URIs and URI templates with patterns, in all their spellings. */
export interface UriMatcher {
  /** Reports whether any text that a server could take for the URI matches. For rules that deny. */
  readonly matchesAny: NameMatcher
  /** Reports whether the URI matches, decoded and without dot segments as well. For rules that allow. */
  readonly matchesAll: NameMatcher
}

/** Creates a matcher of several patterns. It takes time in proportion to the length of the URI. */
export function createUriMatcher(patterns: readonly string[]): UriMatcher {
  const matches = createNameMatcher(patterns)
  const matchesNormal = createNameMatcher(patterns.filter((pattern) => !pattern.includes('*')).map(normalUri))
  const matchesFolded = createNameMatcher(patterns.flatMap((pattern) => foldUriPattern(pattern) ?? []))
  return {
    matchesAny(uri) {
      if (patterns.length === 0) return false
      if (uri.length > MAX_COMPARED_URI_LENGTH) return true
      const { spellings, normal, folded, isUnclear } = formsOf(uri)
      return isUnclear || spellings.some(matches) || matches(normal) || matchesNormal(normal) || folded.some(matchesFolded)
    },
    matchesAll(uri) {
      if (uri.length > MAX_COMPARED_URI_LENGTH) return false
      const { spellings, isUnclear } = formsOf(uri)
      return !isUnclear && spellings.every(matches)
    },
  }
}

interface UriForms {
  readonly uri: string
  readonly spellings: readonly string[]
  readonly normal: string
  readonly folded: readonly string[]
  /** The URI is encoded so often that it has further spellings. */
  readonly isUnclear: boolean
}

/** The forms of the last URI: all rules look at the same one. */
let last: UriForms = { uri: '', spellings: [''], normal: '', folded: [''], isUnclear: false }

function formsOf(uri: string): UriForms {
  if (uri === last.uri) return last
  const normal = normalUri(uri)
  last = { uri, spellings: equivalentUris(uri), normal, folded: foldUri(uri), isUnclear: isEncodedTooOften(uri) }
  return last
}
