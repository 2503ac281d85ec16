import { basename } from 'node:path'
import { applyEdits, type Edit, parsePage, printElement } from '../page/document.ts'

/** A plugin of Vite, as far as it changes pages. */
export interface HtmlPlugin {
  readonly transformIndexHtml?: unknown
}

/** An element that a plugin adds. */
interface AddedTag {
  readonly tag: string
  readonly attrs?: { readonly [name: string]: string | boolean | undefined }
  readonly children?: string | readonly AddedTag[]
  readonly injectTo?: keyof typeof PLACES
}

type Hook = (html: string, context: object) => unknown

const ORDER = ['pre', undefined, 'post']

/** Runs the hooks with which plugins of Vite change pages, in Vite's order, before the page is divided. */
export async function runHtmlHooks(html: string, path: string, plugins: readonly HtmlPlugin[]): Promise<string> {
  const hooks = plugins.flatMap(({ transformIndexHtml }) => readHook(transformIndexHtml) ?? [])
  const sorted = ORDER.flatMap((order) => hooks.filter((hook) => hook.order === order))
  const context = { path: `/${basename(path)}`, filename: path, originalUrl: `/${basename(path)}` }
  let page = html
  for (const { run } of sorted) page = addResult(page, await run(page, context))
  return page
}

function readHook(hook: unknown): { readonly run: Hook; readonly order: string | undefined } | undefined {
  if (typeof hook === 'function') return { run: hook as Hook, order: undefined }
  const { handler, transform, order, enforce } = (hook ?? {}) as { [name: string]: unknown }
  const run = handler ?? transform
  if (typeof run !== 'function') return undefined
  const wanted = order ?? enforce
  return { run: run as Hook, order: wanted === 'pre' || wanted === 'post' ? wanted : undefined }
}

function addResult(html: string, result: unknown): string {
  if (typeof result === 'string') return result
  if (Array.isArray(result)) return addTags(html, result as readonly AddedTag[])
  const { html: changed = html, tags = [] } = (result ?? {}) as { html?: string; tags?: readonly AddedTag[] }
  return addTags(changed, tags)
}

/** Where Vite adds elements. */
const PLACES = { head: 'headEnd', 'head-prepend': 'headStart', body: 'bodyEnd', 'body-prepend': 'bodyStart' } as const

function addTags(html: string, tags: readonly AddedTag[]): string {
  if (tags.length === 0) return html
  const page = parsePage(html)
  const edits = tags.map((tag): Edit => {
    const place = page[PLACES[tag.injectTo ?? 'head-prepend']]
    return { start: place, end: place, text: printTag(tag) }
  })
  return applyEdits(html, edits)
}

function printTag({ tag, attrs = {}, children = '' }: AddedTag): string {
  const attributes = Object.entries(attrs).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === false ? [] : [[name, value === true ? '' : value]],
  )
  const text = typeof children === 'string' ? children : children.map(printTag).join('')
  return VOID.includes(tag)
    ? printElement(tag, new Map(attributes), '').replace(`</${tag}>`, '')
    : printElement(tag, new Map(attributes), text)
}

const VOID = ['base', 'link', 'meta', 'img', 'br', 'hr', 'input', 'source', 'track', 'wbr', 'area', 'col', 'embed']

const VARIABLE = /%([\w.]{1,200})%/g

/** Replaces `%NAME%` by a variable of Vite's environment, and leaves other names. */
export function replaceVariables(html: string, variables: { readonly [name: string]: unknown }): string {
  return html.replace(VARIABLE, (text: string, name: string) => (Object.hasOwn(variables, name) ? String(variables[name]) : text))
}
