/** URIs that clients and servers write: a normal form is final, and a rule that denies a URI denies its other spellings. */
import { createUriMatcher, MAX_COMPARED_URI_LENGTH } from '../../../packages/portcall/src/compose/uri-matcher.ts'
import { equivalentUris, foldUri } from '../../../packages/util/src/equivalent-uris.ts'
import { normalUri } from '../../../packages/util/src/normal-uri.ts'
import { check } from './pieces.ts'

const MAX_FORMS = 64

export function fuzz(data: Buffer): void {
  const uri = data.toString()
  if (uri.length > MAX_COMPARED_URI_LENGTH / 4) return
  const normal = normalUri(uri)
  check(normalUri(normal) === normal, 'the normal form of a normal form is itself')
  check(equivalentUris(uri).includes(uri), 'a URI is one of its spellings')
  check(foldUri(uri).length <= MAX_FORMS, 'the number of forms is bounded')
  if (uri.includes('*')) return
  const { matchesAny } = createUriMatcher([uri])
  for (const spelling of spellingsOf(uri)) check(matchesAny(spelling), 'a rule that denies a URI denies its other spellings')
  const { matchesAny: deniesNormal } = createUriMatcher([normal])
  check(normal.includes('*') || deniesNormal(uri), 'a rule that denies the normal form denies what it is the form of')
}

/** Returns a URI with its first letter of the path escaped, in another case, and in its normal form. */
function spellingsOf(uri: string): string[] {
  const letter = /^[a-z][a-z0-9+.-]*:/i.test(uri) ? /(?<=[/:])[a-z](?=\w)/.exec(uri) : undefined
  if (!letter || uri.slice(0, letter.index).includes('%')) return [uri, normalUri(uri)]
  const escaped = `${uri.slice(0, letter.index)}%${letter[0].charCodeAt(0).toString(16)}${uri.slice(letter.index + 1)}`
  return [uri, normalUri(uri), escaped]
}
