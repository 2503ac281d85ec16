/** The size of the page, reported to the host. */

/** How often in a row the page may grow although nothing in it changed: it then follows the height of its frame, such as with `100vh`. */
const MAX_UNCAUSED = 2

/** Reports the size of the page: now, and at most once in each frame when it changes. Returns a function that stops. */
export function watchSize(
  window: Window & typeof globalThis,
  report: (size: { width: number; height: number }) => void,
): () => void {
  const { document } = window
  const root = document.documentElement
  let last = { width: -1, height: -1 }
  let uncaused = 0
  let frame = 0

  const changed = () => {
    uncaused = 0
    schedule()
  }
  const mutations = new window.MutationObserver(changed)
  const resizes = new window.ResizeObserver(() => schedule())

  const measure = () => {
    frame = 0
    const before = root.style.height
    root.style.height = 'max-content'
    const height = Math.ceil(root.getBoundingClientRect().height)
    root.style.height = before
    mutations.takeRecords()
    const width = window.innerWidth
    if (height === last.height && width === last.width) return
    if (height > last.height && last.height >= 0) {
      uncaused = width === last.width ? uncaused + 1 : 0
      if (uncaused > MAX_UNCAUSED) return
    }
    last = { width, height }
    report(last)
  }
  const schedule = () => {
    frame ||= window.requestAnimationFrame(measure)
  }

  mutations.observe(root, { subtree: true, childList: true, attributes: true, characterData: true })
  resizes.observe(root)
  if (document.body) resizes.observe(document.body)
  document.addEventListener('load', changed, true)
  document.addEventListener('toggle', changed, true)
  schedule()
  return () => {
    window.cancelAnimationFrame(frame)
    mutations.disconnect()
    resizes.disconnect()
    document.removeEventListener('load', changed, true)
    document.removeEventListener('toggle', changed, true)
  }
}
