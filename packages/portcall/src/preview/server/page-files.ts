/** The pages of hosts, which the package contains. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { PreviewError } from '../errors.ts'

/** The names of the pages. */
export type PageName = 'host' | 'preview'

/** A page without its script is not shown, so its markup is here. */
const MARKUP: { readonly [name in PageName]: { readonly title: string; readonly body: string; readonly style: string } } = {
  host: {
    title: 'Host',
    body: '<div id="view"></div>',
    style:
      ':root{color-scheme:light dark}html,body{margin:0;background:light-dark(#fff,#1c1c1f)}[data-mode=fullscreen] iframe{height:100vh!important}',
  },
  preview: { title: 'Preview', body: '<div id="root"></div>', style: '' },
}

/** Returns the HTML of a page. */
export function pageHtml(name: PageName): string {
  const { title, body, style } = MARKUP[name]
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><link rel="icon" href="data:,"><style>${style}</style></head><body>${body}<script type="module" src="page.js"></script></body></html>`
}

/** Returns the script of a page. @throws PreviewError if the package was not built. */
export function pageScript(name: PageName): string {
  const folder = dirname(createRequire(import.meta.url).resolve('portcall/package.json'))
  const path = join(folder, 'dist', 'preview', `${name}-page.js`)
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new PreviewError('PREVIEW_NOT_BUILT', `The page ${path} is missing. Install portcall again`, { cause })
  }
}
