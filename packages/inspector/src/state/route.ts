import { computed, type ReadonlySignal, signal } from '@preact/signals'
// Takes the key of the page out of the address, which holds the route afterwards.
import './page-key.ts'

/** The screens of a server, in the order of their tabs. */
export const SERVER_SCREENS = [
  'tools',
  'resources',
  'prompts',
  'tasks',
  'skills',
  'events',
  'logs',
  'requests',
  'auth',
  'check',
  'connection',
] as const
/** A screen of a server. */
export type ServerScreen = (typeof SERVER_SCREENS)[number]

/** The screens that belong to no server. */
export const GLOBAL_SCREENS = ['connect', 'compare', 'recordings', 'saved', 'settings'] as const
/** A screen that belongs to no server. */
export type GlobalScreen = (typeof GLOBAL_SCREENS)[number]

/** The content of the address bar: the screen, and the item that is selected. Nothing that a person has typed. */
export type Route =
  | { readonly screen: GlobalScreen }
  | { readonly screen: ServerScreen; readonly serverId: string; readonly item?: string }

const isServerScreen = (text: string): text is ServerScreen => (SERVER_SCREENS as readonly string[]).includes(text)
const isGlobalScreen = (text: string): text is GlobalScreen => (GLOBAL_SCREENS as readonly string[]).includes(text)

/** Reads the fragment of an address. */
export function parseRoute(hash: string): Route {
  const [first = '', second = '', ...rest] = hash.replace(/^#\/?/, '').split('/').map(decodePart)
  if (isGlobalScreen(first)) return { screen: first }
  if (first === '' || !isServerScreen(second)) return { screen: 'connect' }
  return rest.length > 0 ? { screen: second, serverId: first, item: rest.join('/') } : { screen: second, serverId: first }
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns the fragment of a route. */
export function hashOf(route: Route): string {
  if (!('serverId' in route)) return `#/${route.screen}`
  const parts = [route.serverId, route.screen, ...(route.item === undefined ? [] : [route.item])]
  return `#/${parts.map(encodeURIComponent).join('/')}`
}

const current = signal<Route>(parseRoute(globalThis.location?.hash ?? ''))

/** The route that the page shows. */
export const route: ReadonlySignal<Route> = current

/** The server that the page shows, if it shows one. */
export const currentServerId: ReadonlySignal<string | undefined> = computed(() =>
  'serverId' in current.value ? current.value.serverId : undefined,
)

const leaving = new Set<() => void>()

/** Calls a function before another screen or item is shown, while the elements of the present one exist. Returns a function that ends it. */
export function onLeave(listener: () => void): () => void {
  leaving.add(listener)
  return () => void leaving.delete(listener)
}

function change(next: Route): void {
  if (hashOf(next) !== hashOf(current.value)) for (const listener of leaving) listener()
  current.value = next
}

/** Follows the address bar. */
export function followAddress(): void {
  addEventListener('hashchange', () => change(parseRoute(location.hash)))
}

/** Shows another screen. */
export function go(next: Route, { replace = false } = {}): void {
  const hash = hashOf(next)
  if (hash === location.hash) return
  if (replace) history.replaceState(null, '', hash)
  else history.pushState(null, '', hash)
  change(next)
}
