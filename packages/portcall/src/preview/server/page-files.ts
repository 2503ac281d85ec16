/** The page of the test host, whose script the package contains. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { PreviewError } from '../errors.ts'

const STYLE =
  ':root{color-scheme:light dark}html,body{margin:0;background:light-dark(#fff,#1c1c1f)}[data-mode=fullscreen] iframe{height:100vh!important}'

/** The HTML of the page. */
export const PAGE_HTML: string = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Host</title><link rel="icon" href="data:,"><style>${STYLE}</style></head><body><div id="view"></div><script type="module" src="page.js"></script></body></html>`

/** Returns the script of the page. @throws PreviewError if the package was not built. */
export function pageScript(): string {
  const folder = dirname(createRequire(import.meta.url).resolve('portcall/package.json'))
  const path = join(folder, 'dist', 'preview', 'host-page.js')
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new PreviewError('PREVIEW_NOT_BUILT', `The page ${path} is missing. Install portcall again`, { cause })
  }
}
