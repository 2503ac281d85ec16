import type { Proxied } from './proxied.ts'
import { openWindow, type View, type Window } from './window.ts'

/** A user of a client goes to the page of consent. */
export async function beAsked(
  proxied: Proxied,
  window: Window = openWindow(proxied.origin),
): Promise<{ window: Window; page: View; id: string }> {
  const { id } = await proxied.register()
  return { window, id, page: await window.get(await proxied.start(id)) }
}

/** The user says yes, signs in at the identity provider, and is sent back here: to this address. */
export async function signInUpstream(proxied: Proxied): Promise<{ window: Window; id: string; back: string }> {
  const { window, page, id } = await beAsked(proxied)
  const gone = await window.press(page, 'allow')
  const away = await window.get(gone.location!)
  return { window, id, back: away.location! }
}

/** All the way: the code that the client gets. */
export async function getCode(proxied: Proxied): Promise<{ id: string; code: string }> {
  const { window, id, back } = await signInUpstream(proxied)
  const done = await window.get(back)
  return { id, code: new URL(done.location!).searchParams.get('code')! }
}

/** What a user brings along who is sent elsewhere. */
export const parameters = ({ location }: View): Record<string, string> => Object.fromEntries(new URL(location!).searchParams)
