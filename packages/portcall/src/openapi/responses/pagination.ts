/** Tells the model how to get the next page. */

import { isUrl } from '../../../../util/src/parse-url.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { PlannedParameter } from '../requests/parameters.ts'
import type { RequestPlan } from '../requests/plan.ts'

/** Names of parameters that continue a list, as APIs commonly call them. */
const CURSORS =
  /^(cursor|page_?token|next_?token|next_?cursor|after|starting_after|continue|continuation_?token|marker|offset|start|skip|page)$/i
/** Members of responses that continue a list, in the order in which they count. */
const NEXT_MEMBERS: readonly string[] = [
  ...[
    'next_cursor',
    'nextCursor',
    'next_page_token',
    'nextPageToken',
    'next_token',
    'nextToken',
    'continue',
    'next_page',
    'nextPage',
  ],
  ...['next', 'next_url', 'nextLink', '@odata.nextLink'],
]
const CONTAINERS: readonly string[] = [
  'response_metadata',
  'metadata',
  'meta',
  'pagination',
  'paging',
  'cursors',
  'links',
  '_links',
  'page_info',
]

/** Returns a note that names the arguments of the next page, or `undefined` if the response does not name one. */
export function paginationHint(plan: RequestPlan, headers: Headers, body: unknown): string | undefined {
  const next = nextOfLinkHeader(headers.get('link')) ?? nextOfBody(body)
  if (next !== undefined) {
    const args =
      isUrl(next, 'http://api.invalid') && /[?&/]/.test(next) ? argumentsOfUrl(plan, next) : argumentsOfCursor(plan, next)
    if (args !== undefined) return `There are more results. For the next page, call again with ${args}.`
  }
  return isObject(body) && body.has_more === true ? hintOfLastItem(plan, body) : undefined
}

function nextOfLinkHeader(header: string | null): string | undefined {
  return header?.match(/<([^<>]*)>\s*;[^,<]*\brel="?next\b/i)?.[1]
}

function nextOfBody(body: unknown): string | undefined {
  if (!isObject(body)) return undefined
  for (const place of [body, ...CONTAINERS.map((name) => body[name])]) {
    if (!isObject(place)) continue
    for (const name of NEXT_MEMBERS) {
      const value = isObject(place[name]) ? place[name].href : place[name]
      if ((typeof value === 'string' && value !== '') || (typeof value === 'number' && value > 0)) return String(value)
    }
  }
  return undefined
}

/** Returns the arguments that a URL has as parameters of its query. */
function argumentsOfUrl({ parameters }: RequestPlan, next: string): string | undefined {
  const { searchParams } = new URL(next, 'http://api.invalid')
  const args = parameters
    .filter(({ place, name }) => place === 'query' && searchParams.has(name))
    .map(({ argument, name }) => `${argument} = ${JSON.stringify(searchParams.get(name))}`)
  return args.length > 0 ? args.join(', ') : undefined
}

function argumentsOfCursor({ parameters }: RequestPlan, cursor: string): string | undefined {
  const parameter = parameters.find(({ place, name }) => place === 'query' && CURSORS.test(lastPart(name)))
  return parameter && `${parameter.argument} = ${JSON.stringify(cursor)}`
}

/** Lists that say only that there is more continue after the id of their last item. */
function hintOfLastItem({ parameters }: RequestPlan, { data }: JsonObject): string | undefined {
  const last: unknown = Array.isArray(data) ? data.at(-1) : undefined
  const parameter = parameters.find(({ name }: PlannedParameter) => name === 'starting_after' || name === 'after')
  if (!parameter || !isObject(last) || typeof last.id !== 'string') return undefined
  return `There are more results. For the next page, call again with ${parameter.argument} = ${JSON.stringify(last.id)}.`
}

/** Returns the name inside the brackets of `page[cursor]`. */
function lastPart(name: string): string {
  return name.match(/\[([^[\]]+)\]$/)?.[1] ?? name
}
