import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import { installDebian } from './debian.mjs'

const NAMES = ['chromium-headless-shell', 'chromium', 'google-chrome', 'chromium-browser']

/** Returns the path of the Chromium of this machine: `CHROMIUM`, or one in `PATH`. */
export function findChromium() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const paths = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))
  return process.env.CHROMIUM ?? paths.find((path) => existsSync(path))
}

/** Returns the path of Chromium. Installs Debian's where possible: npm has none, and Playwright's download is not in a registry. */
export function installChromium() {
  const found = findChromium()
  if (found) return found
  installDebian('chromium-headless-shell')
  const installed = findChromium()
  if (!installed) console.error('!!! SKIPPED, THERE IS NO CHROMIUM: install one, or say where it is in CHROMIUM')
  return installed
}
