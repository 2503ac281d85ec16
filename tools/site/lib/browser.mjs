/** The message of a browser about a page that does not exist. */
const NOT_FOUND = /the server responded with a status of 404/

/** Opens a tab that records errors and requests to other machines in `faults`. */
export async function openTab(browser, { viewport, scheme, origin, base }) {
  const context = await browser.newContext({ viewport, colorScheme: scheme })
  const page = await context.newPage()
  const faults = []
  page.on('pageerror', (error) => faults.push(`${page.url()}: ${error}`))
  page.on('console', (message) => {
    const isExpected = NOT_FOUND.test(message.text()) && page.url().includes('no-such-page')
    if (message.type() === 'error' && !isExpected) faults.push(`${page.url()}: ${message.text()}`)
  })
  page.on('request', (request) => {
    const isLocal = request.url().startsWith(`${origin}/`) || /^(data|blob):/.test(request.url())
    if (!isLocal) faults.push(`${page.url()} requests ${request.url()}`)
  })
  return {
    page,
    faults,
    visit: (path) => page.goto(`${origin}${base}${path}`, { waitUntil: 'networkidle' }),
    /** Returns the address of the page below the base of the site. */
    pathOf: () => new URL(page.url()).pathname.slice(base.length),
    isDark: () => page.evaluate(() => document.documentElement.classList.contains('dark')),
    close: () => context.close(),
  }
}
