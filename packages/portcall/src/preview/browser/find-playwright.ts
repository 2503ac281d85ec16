/** Finds Playwright in the project of the user, or among the global packages. */
import { createRequire } from 'node:module'
import { delimiter, dirname, join, resolve } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { PreviewError } from '../errors.ts'
import type { BrowserType } from './playwright.ts'

const NAMES = ['playwright-core', 'playwright', '@playwright/test'] as const

/** Returns the entry file of a package that a program in a folder can import, or a global one. */
export function locatePackage(name: string, folder: string): string | undefined {
  const globals = [join(dirname(process.execPath), '..', 'lib'), dirname(process.execPath)]
  const others = (process.env.NODE_PATH ?? '').split(delimiter).filter(Boolean)
  const places = [folder, ...globals].map((place) => join(resolve(place), 'package.json'))
  for (const place of places) {
    const found = tryResolve(name, { from: place })
    if (found !== undefined) return found
  }
  return tryResolve(name, { from: import.meta.url, paths: others })
}

function tryResolve(name: string, { from, paths }: { from: string; paths?: readonly string[] }): string | undefined {
  try {
    return createRequire(from).resolve(name, ...(paths ? [{ paths: [...paths] }] : []))
  } catch {
    return undefined
  }
}

/** Loads Chromium's launcher from Playwright. @throws PreviewError if it is not installed. */
export async function loadPlaywright(folder: string): Promise<BrowserType> {
  for (const name of NAMES) {
    const path = locatePackage(name, folder)
    if (path === undefined) continue
    const loaded = (await import(pathToFileURL(path).href)) as { chromium?: BrowserType; default?: { chromium?: BrowserType } }
    const chromium = loaded.chromium ?? loaded.default?.chromium
    if (chromium) return chromium
  }
  throw new PreviewError(
    'PLAYWRIGHT_MISSING',
    `Views are shown in a browser with Playwright, which is not installed in ${resolve(folder)}. Run npm install --save-dev playwright-core`,
  )
}
