/** The rules about the scripts of views. */

import { isLoopback, urlIn } from './origins.ts'
import type { PageFacts } from './page-facts.ts'
import type { ScriptText } from './script-text.ts'

function hasText({ literals }: PageFacts, text: string): boolean {
  if (literals.has(text)) return true
  for (const literal of literals) if (literal.includes(text)) return true
  return false
}

const hasCode = ({ scripts }: PageFacts, pattern: RegExp): boolean => scripts.some(({ code }) => pattern.test(code))

const INITIALIZE = 'ui/initialize'
const INITIALIZED = 'ui/notifications/initialized'

/** Returns why the page does not complete the handshake with its host. Code that the page loads from elsewhere is not known. */
export function handshakeFaultOf(page: PageFacts): string | undefined {
  const hidden = 'hosts keep the frame hidden, and send it nothing'
  if (!hasText(page, INITIALIZE)) {
    if (page.loadsScripts) return undefined
    return `${withoutInitialize(page)}: ${hidden}`
  }
  if (!hasText(page, INITIALIZED)) {
    const similar = page.literals.has('notifications/initialized') ? ' (notifications/initialized is the one of MCP itself)' : ''
    return `the page sends ${INITIALIZE}, but never ${INITIALIZED}${similar}: ${hidden}`
  }
  const hasAppInfo = hasCode(page, /\bappInfo\b/) || hasText(page, 'appInfo')
  return hasAppInfo ? undefined : `the page sends ${INITIALIZE} without appInfo: ${hidden}`
}

function withoutInitialize(page: PageFacts): string {
  if (page.scripts.length === 0) return `the page has no script, so that it never sends ${INITIALIZE}`
  if (hasText(page, 'ui-lifecycle-iframe-ready'))
    return `the page speaks a protocol from before MCP Apps, and never sends ${INITIALIZE}`
  if (hasCode(page, /\bopenai\s*\??\.|\.openai\b/)) return `the page uses only window.openai, and never sends ${INITIALIZE}`
  return `the page never sends ${INITIALIZE}`
}

/** Reports whether the page tells its host how high it is. */
export function reportsSize(page: PageFacts): boolean {
  const isKnown = handshakeFaultOf(page) === undefined && !page.loadsScripts
  return !isKnown || hasText(page, 'ui/notifications/size-change')
}

/** The traces of development servers, in the texts of scripts and in addresses. */
const DEV_CLIENTS: readonly string[] = [
  '/@vite/client',
  '/@react-refresh',
  '/@vite-plugin',
  '/@id/',
  '/@fs/',
  'webpack-dev-server',
  'webpack-hmr',
  '__webpack_hmr',
  'sockjs-node',
  'livereload.js',
]

/** Reports whether an address is that of the client of a development server. */
export const isDevClient = (address: string): boolean => DEV_CLIENTS.some((mark) => address.includes(mark))

/** Returns what only works on the machine of the developer. */
export function devClientsOf(page: PageFacts): string[] {
  const addresses = page.uses.map(({ address }) => address)
  const clients = DEV_CLIENTS.filter((mark) => addresses.some((address) => address.includes(mark)) || hasText(page, mark))
  const local = addresses.filter((address) => {
    const url = urlIn(address)
    return url !== undefined && isLoopback(url)
  })
  const found = [
    ...clients.map((mark) => `the client of a development server (${mark})`),
    ...(hasCode(page, /\bimport\.meta\.hot\b/) ? ['the client of a development server (import.meta.hot)'] : []),
    ...new Set(local.map((address) => `the address ${address.slice(0, 80)}, which is the machine of the user`)),
  ]
  return found.map((one) => `the page contains ${one}`)
}

/** The ways to run a text as code, and to compile WebAssembly. Hosts forbid both. */
const GENERATED: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/(?:^|[^\w$.])(eval)\s*\(/g, 'eval()'],
  [/\(\s*0\s*,\s*(eval)\s*\)/g, 'eval()'],
  [/(?:^|[^\w$.])(Function)\s*\(/g, 'new Function()'],
  [/\b(WebAssembly)\s*\.\s*(?:instantiate|compile|Module)/g, 'WebAssembly'],
  [/(?:^|[^\w$.])(set(?:Timeout|Interval))\s*\(\s*["']/g, 'a timer with code as text'],
]

/** Returns how the page makes code at run time. */
export function generatedCodeOf({ scripts }: PageFacts): string[] {
  const names = GENERATED.filter(([pattern]) =>
    scripts.some((script) =>
      [...script.code.matchAll(pattern)].some(({ 0: text, index }) => runsText(script, index, index + text.length)),
    ),
  ).map(([, name]) => name)
  return [...new Set(names)].map((name) => `the page uses ${name}, which the policy of hosts forbids`)
}

/** How far the end of a parameter list is looked for. */
const MAX_PARAMETERS = 200
/** The ways to get the global object, which browsers never reach: they have `globalThis`. */
const GLOBAL = /^\s*return this;?\s*$/

/** Reports whether a match is a call that runs a text: not a method of that name, and not the way to get the global object. */
function runsText({ code, literals }: ScriptText, start: number, end: number): boolean {
  const after = code.slice(end, end + MAX_PARAMETERS)
  if (/^[\w$,\s]*\)\s*\{/.test(after) && !/\bnew\s+$/.test(code.slice(Math.max(0, start - 6), start + 1))) return false
  if (!/^\s*["'`]/.test(after)) return true
  const first = literals.find((literal) => literal.start >= end)
  return !(first && GLOBAL.test(first.value))
}
