const NAME = 'portcall-inspector-key'

/**
 * The key that the link of the inspector put into the address of this page. It is stored for this origin, which unlike that of a cookie includes the
 * port, and removed from the address before anything else reads it.
 */
export const pageKey: string = takeKey()

function takeKey(): string {
  if (typeof location === 'undefined') return ''
  const given = new URLSearchParams(location.hash.slice(1)).get('key')
  if (given === null) return localStorage.getItem(NAME) ?? ''
  localStorage.setItem(NAME, given)
  history.replaceState(history.state, '', location.pathname + location.search)
  return given
}
