import type { Exchange, Middleware } from '../../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Response, success } from '../../jsonrpc/message.ts'
import { unknownItem } from '../../protocol/errors.ts'
import { followPages } from '../../protocol/pages.ts'
import { type PinnedKind, pinnedPart } from './pin-lock.ts'
import { isAnsweredFromKept } from './raw-answer.ts'

/** A definition that a server offers. A name may be offered twice. */
export interface Offer {
  readonly name: string
  /** The part of the definition that is pinned. */
  readonly offered: JsonObject
}

/** Returns the definitions to withhold, of all that a server offers of one kind, or has offered earlier. */
export type FindWithheld = (kind: PinnedKind, offers: readonly Offer[], isKept?: boolean) => Promise<ReadonlySet<Offer>>

/** The name of the only item of the kind `instructions`. */
const INSTRUCTIONS = 'instructions'

/** Creates middleware that withholds instructions which differ from their pins. */
export function withholdInstructions(findWithheld: FindWithheld): Middleware {
  return async (request, context, next) => {
    const response = await next(request, context)
    if (request.method !== 'server/discover' || !isSuccess(response)) return response
    const { instructions, ...others } = response.result
    const isGiven = typeof instructions === 'string' && instructions !== ''
    const offers = isGiven ? [{ name: INSTRUCTIONS, offered: { text: instructions } }] : []
    const withheld = await findWithheld('instructions', offers, isAnsweredFromKept(request))
    return withheld.size > 0 ? { ...response, result: others } : response
  }
}

/** Creates middleware that withholds skills which differ from their pins. It always fetches the whole list: the pins are those of all skills. */
export function withholdSkills(findWithheld: FindWithheld): Middleware {
  const keep = async (skills: readonly JsonObject[]): Promise<readonly JsonObject[]> => {
    const offers = new Map(skills.map((skill) => [skill, { name: String(skill.uri), offered: pinnedPart('skill', skill) }]))
    const withheld = await findWithheld('skill', [...offers.values()])
    return skills.filter((skill) => !withheld.has(offers.get(skill) as Offer))
  }
  return async (request, context, next) => {
    if (request.method !== 'skills/list' && request.method !== 'skills/get') return next(request, context)
    const { cursor: _cursor, uri, ...params } = request.params ?? {}
    const list = (page: JsonObject): ReturnType<Exchange> =>
      next({ ...request, method: 'skills/list', params: { ...params, ...page } }, context)
    if (request.method === 'skills/list') {
      const { first, skills, failed } = await readSkills(list)
      if (!isSuccess(first) || failed) return { ...(failed ?? first), id: request.id }
      const { nextCursor: _next, ...result } = first.result
      return success(request.id, { ...result, skills: await keep(skills) })
    }
    const response = await next(request, context)
    const skill = isSuccess(response) ? response.result.skill : undefined
    if (!isObject(skill)) return response
    const { skills } = await readSkills(list)
    const kept = await keep([...skills.filter((other) => other.uri !== skill.uri), skill])
    if (!kept.includes(skill)) throw unknownItem('skill', uri)
    return response
  }
}

/** A list of skills. */
interface ReadSkills {
  /** The response with the first page. */
  readonly first: Response
  /** The skills up to a page that fails. */
  readonly skills: readonly JsonObject[]
  /** The response that is not a page. */
  readonly failed: Response | undefined
}

/** Reads all pages of a list of skills. */
async function readSkills(list: (page: JsonObject) => ReturnType<Exchange>): Promise<ReadSkills> {
  const first = await list({})
  let failed: Response | undefined
  const fetch = async (cursor: string | undefined): Promise<JsonObject> => {
    const page = cursor === undefined ? first : await list({ cursor })
    if (isSuccess(page)) return page.result
    failed = page
    return {}
  }
  const skills: JsonObject[] = []
  for await (const page of followPages({ method: 'skills/list', key: 'skills', fetch }))
    if (Array.isArray(page.skills)) skills.push(...page.skills.filter(isObject))
  return { first, skills, failed }
}
