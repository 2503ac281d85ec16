/** Says which media types a request accepts. */
import type { ApiDocument } from '../document/document.ts'
import { objectOrEmpty } from '../document/json.ts'
import type { DescribedOperation } from '../document/operations.ts'

const MAX_TYPES = 8
const MEDIA_TYPE = /^[\w.+*-]+\/[\w.+*-]+(?:; ?[\w-]+=[\w.+-]+){0,3}$/

/** Returns the value of `Accept`: the media types that the responses of the description have, JSON first. */
export function acceptedTypes({ source }: DescribedOperation, { follow }: ApiDocument): string {
  const responses = Object.values(objectOrEmpty(source.responses)).map(follow)
  const described = responses.flatMap(({ content }) => Object.keys(objectOrEmpty(content)))
  const types = new Set(described.map(withoutCharset).filter((type) => MEDIA_TYPE.test(type)))
  return [...[...types].sort((a, b) => rank(a) - rank(b)).slice(0, MAX_TYPES), '*/*;q=0.1'].join(', ')
}

/** A charset describes a response, and is not chosen by `Accept`. Other parameters are a part of the type, such as a version. */
function withoutCharset(type: string): string {
  const [essence = '', ...parameters] = type.split(';').map((part) => part.trim())
  return [essence, ...parameters.filter((parameter) => parameter !== '' && !/^charset=/i.test(parameter))].join('; ')
}

function rank(type: string): number {
  return type === 'application/json' ? 0 : type.includes('json') ? 1 : 2
}
