/** Chooses the media type of a request body. */
import { essence, isTextType } from '../../../../util/src/media-type.ts'

/** How the argument becomes a body. With `any`, the caller decides between JSON and a file. */
export type BodyKind = 'any' | 'json' | 'form' | 'multipart' | 'text' | 'binary'

/** A row of the table: the kind, the media types it applies to, and the media type to send in place of a range such as `text/*`. */
type KindRule = readonly [kind: BodyKind, pattern: RegExp, concrete: string]

/** Tells the kinds of media types apart, in order of preference. Parameters have been removed, and letters are in lower case. */
const KINDS: readonly KindRule[] = [
  ['json', /^application\/json$/, 'application/json'],
  ['json', /[/+]json$/, 'application/json'],
  ['json', /^(?:\*|application)\/\*$/, 'application/json'],
  ['form', /^application\/x-www-form-urlencoded$/, 'application/x-www-form-urlencoded'],
  ['multipart', /^multipart\//, 'multipart/form-data'],
  ['text', /^text\/|[/+](xml|yaml|x-yaml|graphql|javascript|x-ndjson|jsonl)$/, 'text/plain'],
  ['binary', /./, 'application/octet-stream'],
]

/** A media type to send. */
export interface ChosenMediaType {
  readonly kind: BodyKind
  /** The media type as the description calls it. */
  readonly key: string
  /** The media type to send, never a range. */
  readonly mediaType: string
}

/** Chooses the media type of a body: the preferred one, or the first of the most suitable kind. */
export function chooseMediaType(keys: readonly string[], preferred: string | undefined): ChosenMediaType | undefined {
  if (preferred !== undefined && keys.includes(preferred)) return describe(preferred)
  const named = keys.filter(isMediaType)
  const ranked = KINDS.flatMap((rule, rank) => named.filter((key) => ruleOf(key) === rule).map((key) => ({ key, rank })))
  const [best] = ranked.sort((a, b) => Number(isRange(a.key)) - Number(isRange(b.key)) || a.rank - b.rank)
  const [first] = keys
  if (best || first === undefined) return best && describe(best.key)
  return { kind: 'json', key: first, mediaType: 'application/json' }
}

/** Reports whether a key of `content` is a media type or a range. Some descriptions have an empty key, or leave out the slash. */
export function isMediaType(key: string): boolean {
  return /^[^\s/]+\/[^\s/]+$/.test(essence(key))
}

function describe(key: string): ChosenMediaType {
  const [kind, , concrete] = ruleOf(key)
  return { kind, key, mediaType: isRange(key) ? concrete : key }
}

function ruleOf(key: string): KindRule {
  const type = essence(key)
  return KINDS.find(([, pattern]) => pattern.test(type)) ?? ['binary', /./, 'application/octet-stream']
}

/** Reports whether a media type is a range, which says what a server accepts and is not sent. */
export function isRange(mediaType: string): boolean {
  return essence(mediaType).includes('*')
}

/** Reports whether all media types of a list, such as `image/png, image/jpeg`, are those of files and not of texts. */
export function isFileType(list: unknown): boolean {
  if (typeof list !== 'string' || list === '') return false
  const types = list.split(',').map(essence)
  return types.every((type) => !isTextType(type) && type !== '*/*' && type !== 'application/x-www-form-urlencoded')
}
