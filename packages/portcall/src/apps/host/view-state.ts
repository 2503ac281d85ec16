/** The script that keeps what a person has done in a view when its page is replaced by another version of it. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { SANDBOX_METHODS } from './sandbox-page.ts'

/** The state of a page, as its script has saved it. Untrusted: it is only given to the next version of the page. */
export type SavedState = JsonObject

const MAX_CHARACTERS = 1_000_000
/** How long the script waits for elements that the page creates late, ms. */
const RESTORE_MS = 3000
/** How long it waits for the result of the tool, after which most views draw. */
const RESULT_MS = 500

/**
 * Saves fields that a person has changed, opened details, scroll positions, the focus and the fragment of the address, and restores them after the result of
 * the tool. Elements are found by id, or by their place in the page. Fields get the events of typing, so that frameworks notice.
 */
const SCRIPT = `(saved) => {
  document.currentScript.remove()
  const { parent } = window
  const touched = new Set()
  const touch = ({ target }) => { if (target instanceof Element) touched.add(target) }
  for (const type of ['input', 'change']) addEventListener(type, touch, true)
  const isSwitch = (one) => one.type === 'checkbox' || one.type === 'radio'
  const pathOf = (element) => {
    const steps = []
    for (let one = element; one && one !== document.documentElement; one = one.parentElement) {
      if (one.id) { steps.unshift('#' + CSS.escape(one.id)); break }
      const name = one.getAttribute('name')
      const named = '[name="' + CSS.escape(name ?? '') + '"]' + (isSwitch(one) ? '[value="' + CSS.escape(one.value) + '"]' : '')
      if (name && document.querySelectorAll(named).length === 1) { steps.unshift(named); break }
      const same = one.parentElement ? [...one.parentElement.children].filter(({ localName }) => localName === one.localName) : [one]
      steps.unshift(CSS.escape(one.localName) + ':nth-of-type(' + (same.indexOf(one) + 1) + ')')
    }
    return steps.join('>') || 'html'
  }
  const isField = (one) => one.matches('input:not([type=password],[type=file]),textarea,select')
  const save = () => {
    const elements = [document.documentElement, ...document.querySelectorAll('*')]
    const { activeElement } = document
    return {
      hash: location.hash,
      fields: [...touched].filter((one) => one.isConnected && isField(one)).map((one) =>
        isSwitch(one) ? [pathOf(one), one.checked] : one.multiple && one.options ? [pathOf(one), [...one.selectedOptions].map(({ value }) => value)] : [pathOf(one), one.value]),
      open: elements.filter((one) => one.localName === 'details' && one.open).map(pathOf),
      scroll: elements.filter((one) => one.scrollTop || one.scrollLeft).map((one) => [pathOf(one), one.scrollLeft, one.scrollTop]),
      ...(activeElement && activeElement !== document.body && { focus: [pathOf(activeElement), activeElement.selectionStart, activeElement.selectionEnd] }),
    }
  }
  addEventListener('message', (event) => {
    const { source, data } = event
    if (source !== parent || !data || data.method !== '${SANDBOX_METHODS.save}') return
    event.stopImmediatePropagation()
    parent.postMessage({ jsonrpc: '2.0', method: '${SANDBOX_METHODS.saved}', params: save() }, '*')
  })
  if (!saved) return
  try { if (saved.hash && saved.hash !== location.hash) history.replaceState(history.state, '', saved.hash) } catch {}
  const fill = (one, value) => {
    touched.add(one)
    if (isSwitch(one)) { if (one.checked !== value) one.click(); return }
    if (Array.isArray(value)) for (const option of one.options) option.selected = value.includes(option.value)
    else if (one.value === value) return
    else Object.getOwnPropertyDescriptor(Object.getPrototypeOf(one), 'value').set.call(one, value)
    for (const type of ['input', 'change']) one.dispatchEvent(new Event(type, { bubbles: true }))
  }
  const scroll = (one, left, top) => {
    one.scrollTo({ left, top, behavior: 'instant' })
    return Math.abs(one.scrollLeft - left) <= 1 && Math.abs(one.scrollTop - top) <= 1
  }
  const focus = (one, start, end) => {
    one.focus({ preventScroll: true })
    try { if (start !== null && start !== undefined) one.setSelectionRange(start, end) } catch {}
  }
  let left = [
    ...saved.open.map((path) => [path, (one) => { one.open = true }]),
    ...saved.fields.map(([path, value]) => [path, (one) => { if (isField(one)) fill(one, value) }]),
    ...saved.scroll.map(([path, x, y]) => [path, (one) => scroll(one, x, y)]),
    ...(saved.focus ? [[saved.focus[0], (one) => focus(one, saved.focus[1], saved.focus[2])]] : []),
  ]
  const find = (path) => { try { return document.querySelector(path) } catch { return null } }
  const restore = () => {
    const todo = left
    left = []
    left = todo.filter(([path, act]) => { const one = find(path); return !one || act(one) === false }).concat(left)
    if (left.length === 0) stop()
  }
  const observer = new MutationObserver(() => restore())
  const stop = () => { left = []; observer.disconnect() }
  let hasStarted = false
  const start = () => {
    if (hasStarted) return
    hasStarted = true
    restore()
    if (left.length === 0) return
    observer.observe(document, { childList: true, subtree: true })
    requestAnimationFrame(() => restore())
    setTimeout(stop, ${RESTORE_MS})
    for (const type of ['wheel', 'pointerdown', 'keydown']) addEventListener(type, stop, { capture: true, once: true })
  }
  addEventListener('message', ({ source, data }) => {
    if (source === parent && data && data.method === 'ui/notifications/tool-result') setTimeout(start)
  })
  addEventListener('load', () => setTimeout(start, ${RESULT_MS}))
}`

/** Returns the script as text for a page, with what an earlier version of the page has saved. */
export const stateScript = (saved: SavedState | undefined): string =>
  `(${SCRIPT})(${saved ? JSON.stringify(saved).replaceAll('<', '\\u003c') : 'undefined'})`

/** Reads what the script has saved. A view can send anything: returns `undefined` for what is no state, and for too much. */
export function readSavedState(params: unknown): SavedState | undefined {
  if (!isObject(params) || !['fields', 'open', 'scroll'].every((name) => Array.isArray(params[name]))) return undefined
  return JSON.stringify(params).length > MAX_CHARACTERS ? undefined : params
}
