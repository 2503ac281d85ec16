import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { installChromium } from '../lib/chromium.mjs'
import { PAGES } from '../lib/contents.mjs'
import { filesBelow } from '../lib/files.mjs'
import { ROOT } from '../lib/paths.mjs'
import { openTab } from './lib/browser.mjs'
import { serveSite } from './lib/serve.mjs'

const SCREENSHOTS = join(ROOT, 'tools', 'site', 'screenshots')

const WINDOWS = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
}
const SCHEMES = ['light', 'dark']

/** Pages to take pictures of: the title, the address, and what to scroll to. */
const PICTURES = [
  { title: 'home', path: '' },
  { title: 'guide', path: 'get-started/how-it-works', at: '.mermaid' },
  { title: 'reference', path: 'reference/api/portcall/client', at: '#connectoptions' },
  { title: 'not-found', path: 'no-such-page' },
]

const SEARCHED = { words: 'elicitation', page: 'servers/elicitation-sampling-roots' }

/** Each check takes a tab and returns what is wrong. */
const CHECKS = {
  async 'the home page shows code and links to the guides'({ page, visit }) {
    await visit('')
    const code = await page.locator('.hero-code code').innerText()
    const features = await page.locator('.VPFeature').count()
    return [...(code.includes('createServer') ? [] : ['no code']), ...(features >= 6 ? [] : [`${features} features`])]
  },

  async 'search finds a guide before everything else'({ page, visit, pathOf }) {
    await visit('get-started/introduction')
    await page.locator('.VPNavBarSearch button').first().click()
    await page.locator('.search-input').fill(SEARCHED.words)
    await page.locator('.VPLocalSearchBox .result').first().waitFor()
    await page.screenshot({ path: page.pathOfPicture('search') })
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.pathname.includes('/servers/'))
    return pathOf() === SEARCHED.page ? [] : [`it leads to ${pathOf()}`]
  },

  async 'the navigation leads through the pages in the order of the contents'({ page, visit, pathOf, isPhone }) {
    const [first, second] = PAGES
    await visit(first.path)
    await page.locator('.pager-link.next').click()
    // The address changes before the page does, and the change of the page closes the menu of a phone.
    await page.locator('.vp-doc h1', { hasText: second.title }).waitFor()
    if (pathOf() !== second.path) return [`the link to the next page leads to ${pathOf()}`]
    await page.locator(isPhone ? '.VPLocalNav .menu' : '.VPNavBarMenu >> text=Servers').click()
    if (isPhone) await page.locator('.VPSidebar.open >> text=Error handling').click()
    await page.waitForURL((url) => url.pathname.includes('/servers/'))
    const expected = `servers/${isPhone ? 'error-handling' : 'overview'}`
    return pathOf() === expected ? [] : [`the menu leads to ${pathOf()}`]
  },

  async 'the color scheme is that of the system until the reader changes it'({ page, visit, isDark, isPhone, scheme }) {
    await visit('servers/tools')
    const first = await isDark()
    if (isPhone) await page.locator('.VPNavBarHamburger').click()
    await page.locator('.VPSwitchAppearance:visible').first().click()
    await page.waitForFunction((before) => document.documentElement.classList.contains('dark') !== before, first)
    await page.reload()
    const last = await isDark()
    await page.evaluate(() => localStorage.clear())
    return first === (scheme === 'dark') && last !== first
      ? []
      : [`dark at first: ${first}, after the change and a reload: ${last}`]
  },

  async 'diagrams are drawn'({ page, visit }) {
    await visit('get-started/how-it-works')
    const sources = await page.locator('.mermaid').count()
    await page
      .locator('.mermaid svg')
      .nth(sources - 1)
      .waitFor({ timeout: 60_000 })
    return sources > 1 ? [] : ['there is only one']
  },

  async 'guides can be edited and show when they were changed'({ page, visit }) {
    await visit('servers/tools')
    const link = await page.locator('.edit-link-button').getAttribute('href')
    const changed = await page.locator('.VPLastUpdated time').getAttribute('datetime')
    const faults = link?.endsWith('/docs/servers/tools.md') ? [] : [`the link to edit leads to ${link}`]
    return Date.parse(changed ?? '') ? faults : [...faults, `it was changed at ${changed}`]
  },

  async 'an unknown address shows a page that leads home'({ page, visit, pathOf }) {
    await visit('no-such-page')
    await page.locator('.NotFound .link').click()
    await page.waitForURL((url) => !url.pathname.includes('no-such-page'))
    return pathOf() === '' ? [] : [`it leads to ${pathOf()}`]
  },
}

async function takePictures({ page, visit }) {
  for (const { title, path, at } of PICTURES) {
    await visit(path)
    if (at) {
      await page.locator(at).first().waitFor({ timeout: 60_000 })
      await page.evaluate((selector) => {
        const { top } = document.querySelector(selector).getBoundingClientRect()
        scrollTo({ top: top + scrollY - 100, behavior: 'instant' })
      }, at)
    }
    await page.screenshot({ path: page.pathOfPicture(title) })
  }
}

async function testWindow(browser, { name, scheme, origin, base, report }) {
  const title = `${name}, ${scheme}`
  const tab = await openTab(browser, { viewport: WINDOWS[name], scheme, origin, base })
  tab.page.pathOfPicture = (picture) => join(SCREENSHOTS, `${picture}-${name}-${scheme}.png`)
  const about = { ...tab, isPhone: name === 'phone', scheme }
  for (const [what, check] of Object.entries(CHECKS)) {
    report.check(`${title}: ${what}`, await check(about).catch((error) => [error.message.split('\n')[0]]))
  }
  await takePictures(about)
  report.check(`${title}: no error in the console, no request to another machine`, tab.faults)
  await tab.close()
}

/** The bar at the top fits next to the sidebar of a small laptop. */
async function testNavigationBar(browser, { origin, base, report }) {
  const tab = await openTab(browser, { viewport: { width: 1024, height: 700 }, scheme: 'light', origin, base })
  await tab.visit('servers/tools')
  const { x, width } = await tab.page.locator('.VPNavBarExtra').boundingBox()
  report.check('the navigation bar fits a width of 1024 px', x + width <= 1024 ? [] : [`it is ${Math.round(x + width)} px wide`])
  await tab.close()
}

/** Every page fits the width of a phone. */
async function testWidths(browser, { dist, origin, base, report }) {
  const tab = await openTab(browser, { viewport: WINDOWS.phone, scheme: 'light', origin, base })
  const faults = []
  const pages = filesBelow(dist, '.html').map((file) => file.slice(dist.length + 1).replace(/(^|\/)index\.html$|\.html$/, '$1'))
  for (const path of pages) {
    await tab.visit(path)
    const width = await tab.page.evaluate(() => document.documentElement.scrollWidth)
    if (width > WINDOWS.phone.width) faults.push(`${path} is ${width} px wide`)
  }
  report.check(`${pages.length} pages fit a width of ${WINDOWS.phone.width} px`, [...faults, ...tab.faults])
  await tab.close()
}

/** Tries a built site in Chromium, at two widths and in both color schemes, and takes pictures of it. */
export async function testSite({ dist, base }, report) {
  const executablePath = installChromium()
  if (!executablePath) return report.skip('the site is not tried in a browser')
  rmSync(SCREENSHOTS, { recursive: true, force: true })
  mkdirSync(SCREENSHOTS)
  const site = await serveSite(dist, base)
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  const how = { dist, base, origin: site.origin, report }
  for (const name of Object.keys(WINDOWS)) for (const scheme of SCHEMES) await testWindow(browser, { ...how, name, scheme })
  await testNavigationBar(browser, how)
  await testWidths(browser, how)
  await browser.close()
  await site.close()
  report.note(`screenshots: ${SCREENSHOTS}`)
}
