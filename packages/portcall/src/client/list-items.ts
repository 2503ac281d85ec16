import { isObject } from '../jsonrpc/message.ts'

/** The member that identifies an item, and members that are objects (`arguments`: or arrays), unless absent or null. */
const ITEMS: { readonly [method: string]: readonly [id: string, ...members: string[]] } = {
  'tools/list': ['name', 'inputSchema', 'outputSchema'],
  'resources/list': ['uri'],
  'resources/templates/list': ['uriTemplate'],
  'prompts/list': ['name', 'arguments'],
}

/** Checks that an item of a list is usable. @throws TypeError that names the item and says what is wrong. */
export function checkListItem(method: string, item: unknown): void {
  const [id = '', ...members] = (Object.hasOwn(ITEMS, method) && ITEMS[method]) || []
  // The transport replaces items that nest too deeply with their names.
  if (!isObject(item)) throw new TypeError('not an object, or nested too deeply (maxJsonDepth)')
  if (id && typeof item[id] !== 'string') throw new TypeError(`invalid ${id}`)
  for (const member of members) {
    const value = item[member] ?? undefined
    if (value !== undefined && !(Array.isArray(value) ? member === 'arguments' : isObject(value)))
      throw new TypeError(`invalid ${member}`)
  }
}

const MAX_LABEL_LENGTH = 200

/** Returns a text that names an item, for warnings. */
export function labelOf(item: unknown): string {
  const { name, uri, uriTemplate } = isObject(item) ? item : { name: item }
  return JSON.stringify(name ?? uri ?? uriTemplate)?.slice(0, MAX_LABEL_LENGTH) ?? 'an item'
}
