/** Reads which codings a response was sent in. https://www.rfc-editor.org/rfc/rfc9110#section-8.4 */
import { InvalidResponseError } from '../jsonrpc/errors.ts'

/** The codings that Node's zlib can remove, in all versions of Node that are supported. */
export type ContentCoding = 'gzip' | 'deflate' | 'br' | 'zstd'

/** The body of a response in some coding, and what it is called in errors. */
export interface CodedBody {
  readonly body: AsyncIterable<Uint8Array>
  /** The header `content-encoding`. */
  readonly contentEncoding: string
  /** True if the body is an event stream, which may end before the last byte of its coding. */
  readonly isStream: boolean
  /** The URL of the response for error messages. */
  readonly displayUrl: string
}

const CODINGS: { readonly [name: string]: ContentCoding | undefined } = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'br',
  zstd: 'zstd',
}
/** The codings to ask for: those that every version of Node can remove. */
export const ACCEPT_ENCODING = 'gzip, deflate, br'
/** Names under which bodies are sent as they are. Some servers name a character encoding here, which `fetch` ignores. */
const NO_CODINGS: ReadonlySet<string> = new Set(['', 'identity', 'none', 'utf-8', 'utf8', 'binary', '8bit'])
/** A chain of codings multiplies the work for each byte that is received. */
const MAX_CODINGS = 4

/** Reports whether a response has to be decoded. */
export function isCoded(contentEncoding: string | undefined): contentEncoding is string {
  return contentEncoding !== undefined && namesOf(contentEncoding).length > 0
}

/** Returns the codings in the order in which they are removed: the last one first. @throws InvalidResponseError that names an unknown one. */
export function readCodings({ contentEncoding, displayUrl }: Pick<CodedBody, 'contentEncoding' | 'displayUrl'>): ContentCoding[] {
  const names = namesOf(contentEncoding)
  if (names.length > MAX_CODINGS)
    throw new InvalidResponseError(
      `${displayUrl} sent a response with ${names.length} content codings; at most ${MAX_CODINGS} are decoded`,
    )
  return names.reverse().map((name) => {
    const coding = Object.hasOwn(CODINGS, name) ? CODINGS[name] : undefined
    if (coding) return coding
    throw unknownCoding(displayUrl, name)
  })
}

/** Creates the error for a coding that cannot be removed. */
export function unknownCoding(displayUrl: string, name: string): InvalidResponseError {
  const shown = JSON.stringify(name.slice(0, 40))
  return new InvalidResponseError(`${displayUrl} sent a response in the content coding ${shown}, which cannot be decoded here`)
}

function namesOf(contentEncoding: string): string[] {
  const names = contentEncoding.split(',').map((name) => name.trim().toLowerCase())
  return names.filter((name) => !NO_CODINGS.has(name))
}
