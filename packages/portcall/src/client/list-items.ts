import { isObject, type JsonObject } from '../jsonrpc/message.ts'

/** Reports whether a member is what clients expect. */
type Check = (value: unknown) => boolean

const isString: Check = (value) => typeof value === 'string'
const isArgumentList: Check = (value) => Array.isArray(value) && value.every((item) => isObject(item) && isString(item.name))

/** The member that identifies an item, and checks of other members that are not absent or null. */
const ITEMS: { readonly [method: string]: { readonly id: string; readonly checks: { readonly [member: string]: Check } } } = {
  'tools/list': { id: 'name', checks: { inputSchema: isObject, outputSchema: isObject } },
  'resources/list': { id: 'uri', checks: { name: isString } },
  'resources/templates/list': { id: 'uriTemplate', checks: { name: isString } },
  'prompts/list': { id: 'name', checks: { arguments: isArgumentList } },
}

/** Checks that an item of a list is usable. @throws TypeError that says what is wrong. */
export function checkListItem(method: string, item: unknown): void {
  // The transport replaces items that nest too deeply by their names.
  if (!isObject(item)) throw new TypeError('it is not an object, or nested too deeply (maxJsonDepth)')
  const { id, checks } = (Object.hasOwn(ITEMS, method) && ITEMS[method]) || {}
  if (id !== undefined && !isString(item[id])) throw new TypeError(`its ${id} is not a string`)
  for (const [member, check] of Object.entries(checks ?? {}))
    if (isPresent(item, member) && !check(item[member])) throw new TypeError(`its ${member} is invalid`)
}

function isPresent(item: JsonObject, member: string): boolean {
  return item[member] !== undefined && item[member] !== null
}

const MAX_LABEL_LENGTH = 200

/** Returns a text that names an item, for warnings. */
export function labelOf(item: unknown): string {
  const { name, uri, uriTemplate } = isObject(item) ? item : { name: item }
  const label = [name, uri, uriTemplate].find((value) => typeof value === 'string' && value !== '')
  return label === undefined ? 'an item without a name' : JSON.stringify(label).slice(0, MAX_LABEL_LENGTH)
}
