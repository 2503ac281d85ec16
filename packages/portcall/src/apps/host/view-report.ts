/** The script with which a view reports its errors to its host: other origins cannot read them. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { SANDBOX_METHODS } from './sandbox-page.ts'

/** An error of a view. */
export interface ViewFault {
  /** `exception`: one that the view did not catch, also of a promise. `error`: one that it wrote to the console. */
  readonly level: 'exception' | 'error'
  /** The message, with the line if the browser names it; at most 2,000 characters. Untrusted. */
  readonly text: string
}

/** A view can fail without end. */
const MAX_REPORTS = 100
const MAX_TEXT = 2000

/** Reports errors, and answers whether the view reacts. Runs before the scripts of the view, and leaves no trace in its elements. */
export const REPORT_SCRIPT: string = `(() => {
  document.currentScript.remove()
  const { parent } = window
  let left = ${MAX_REPORTS}
  const send = (level, text) => {
    if (left-- > 0) parent.postMessage({ jsonrpc: '2.0', method: '${SANDBOX_METHODS.error}', params: { level, text: text.slice(0, ${MAX_TEXT}) } }, '*')
  }
  const textOf = (value) => {
    try {
      if (value instanceof Error) return String(value)
      return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
    } catch { return 'an object' }
  }
  addEventListener('error', ({ message, lineno }) => { if (message) send('exception', message + (lineno ? ' (line ' + lineno + ')' : '')) })
  addEventListener('unhandledrejection', ({ reason }) => send('exception', 'Uncaught (in promise) ' + textOf(reason)))
  addEventListener('message', (event) => {
    if (event.source !== parent || event.data?.method !== '${SANDBOX_METHODS.ping}') return
    event.stopImmediatePropagation()
    parent.postMessage({ jsonrpc: '2.0', method: '${SANDBOX_METHODS.pong}', params: {} }, '*')
  })
  const { error } = console
  console.error = (...values) => { send('error', values.map(textOf).join(' ')); error.apply(console, values) }
})()`

/** Returns the page of a view with scripts of its host, which run first. A document type must stay the first part of a page. */
export function withScripts(html: string, scripts: readonly string[]): string {
  const at = endOfDoctype(html)
  return `${html.slice(0, at)}${scripts.map((script) => `<script>${script}</script>`).join('')}${html.slice(at)}`
}

/** Returns where a document type ends: after spaces and comments. Returns 0 if there is none. */
function endOfDoctype(html: string): number {
  let at = 0
  for (;;) {
    while (SPACE.test(html.charAt(at))) at += 1
    if (!html.startsWith('<!--', at)) break
    const end = html.indexOf('-->', at)
    if (end < 0) return 0
    at = end + '-->'.length
  }
  if (html.slice(at, at + DOCTYPE.length).toLowerCase() !== DOCTYPE) return 0
  return html.indexOf('>', at) + 1
}

const SPACE = /[\s\uFEFF]/
const DOCTYPE = '<!doctype'

/** Creates the reader of the messages of the script. A view can send them too: it returns `undefined` for wrong ones, and for too many. */
export function createErrorReader(): (params: unknown) => ViewFault | undefined {
  let left = MAX_REPORTS
  return (params) => {
    const { level, text } = (isObject(params) ? params : {}) as JsonObject
    if (typeof text !== 'string' || (level !== 'exception' && level !== 'error') || left <= 0) return undefined
    left -= 1
    return { level, text: text.slice(0, MAX_TEXT) }
  }
}
