/** Elements, without markup: everything that comes from a server becomes text. */

type Child = Node | string | undefined | false
type Props = { readonly [name: string]: string | number | boolean | undefined | ((event: never) => void) }

const SVG = 'http://www.w3.org/2000/svg'

/** Creates an element. Functions are listeners, `true` is an empty attribute, `false` and `undefined` are none. */
export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  props: Props = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  return fill(document.createElement(name), props, children)
}

/** Creates an element of a drawing. */
export function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  props: Props = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Name] {
  return fill(document.createElementNS(SVG, name), props, children)
}

function fill<E extends Element>(element: E, props: Props, children: readonly Child[]): E {
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') element.addEventListener(name, value as EventListener)
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : String(value))
  }
  for (const child of children) if (child !== undefined && child !== false) element.append(child)
  return element
}

let count = 0

/** Returns an id that no other element of the page has. */
export const newId = (): string => `p${++count}`

/** Returns the language of the page: that of the host. */
export const locale = (): string | undefined => document.documentElement.lang || undefined
