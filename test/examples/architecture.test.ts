import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { CLIENT_TIMEOUTS } from '../../packages/portcall/src/client/options.ts'
import { PEER_LIMITS } from '../../packages/portcall/src/jsonrpc/peer.ts'
import { PAGE_LIMITS } from '../../packages/portcall/src/protocol/pages.ts'
import { SERVER_LIMITS } from '../../packages/portcall/src/server/options.ts'
import { SKILL_LIMITS } from '../../packages/portcall/src/skills/entry.ts'
import { HTTP_CLIENT_LIMITS } from '../../packages/portcall/src/transports/http/client/limits.ts'
import { HTTP_LIMITS } from '../../packages/portcall/src/transports/http/server/limits.ts'

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')
const isThere = (path: string): boolean => existsSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)))
const SRC = 'packages/portcall/src/'
/** Returns the path of a file that ARCHITECTURE.md names. */
const pathOf = (name: string): string =>
  isThere(name) ? name : /^(util|cli)\//.test(name) ? name.replace(/^(\w+)/, 'packages/$1/src') : SRC + name

test('ARCHITECTURE.md names files that exist, and functions that are in them', () => {
  const faults: string[] = []
  let named = 0
  for (const line of read('ARCHITECTURE.md').split('\n')) {
    const names = [...line.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
    const files = names.filter((name) => /^[\w-]+(\/[\w.-]+)+\.(ts|mjs)$/.test(name)).map(pathOf)
    faults.push(...files.filter((file) => !isThere(file)))
    const texts = files.filter(isThere).map(read)
    // The rows of numbered steps and of limits name symbols of their files; the table of state names options.
    if (!/^\| \d|_LIMITS/.test(line) || texts.length === 0) continue
    for (const name of names.filter((word) => /^[a-z]+[A-Z]\w*$|^[A-Z][a-z]+[A-Z]\w*$|^[A-Z]+(_[A-Z]+)+$/.test(word))) {
      named++
      if (!texts.some((text) => new RegExp(`\\b${name}\\b`).test(text))) faults.push(`${name} in ${files.join(', ')}`)
    }
  }
  expect(faults).toEqual([])
  expect(named).toBeGreaterThan(20)
})

/** Returns the text below a heading of docs/reference/limits.md. */
function partOf(heading: string): string {
  const [, part = ''] = read('docs/reference/limits.md').split(new RegExp(`^## ${heading}\\n`, 'm'))
  return part.split('\n## ')[0] ?? ''
}

/** Returns the limits and defaults that a section of docs/reference/limits.md lists. */
function limitsOf(heading: string): Record<string, number> {
  const rows = partOf(heading).matchAll(/^\| `(?:\w+\.)?(\w+)` \| ([\d,]+)/gm)
  return Object.fromEntries([...rows].map(([, name, value]) => [name, Number(value?.replaceAll(',', ''))]))
}

/** Returns a default or a constant of a source file. */
function numberIn(file: string, name: string): number {
  const [, text = ''] = new RegExp(`\\b${name} = ([\\d_]+)`).exec(read(SRC + file)) ?? []
  return Number(text.replaceAll('_', ''))
}

test('docs/reference/limits.md has every limit with its default', () => {
  expect(limitsOf('The server')).toEqual({ ...SERVER_LIMITS })
  expect(limitsOf('Skills')).toEqual({ ...SKILL_LIMITS })
  expect(limitsOf('HTTP')).toMatchObject({ ...HTTP_LIMITS })
  expect(limitsOf('Stdio and channels')).toMatchObject({ ...PEER_LIMITS })
  expect(limitsOf('The client over HTTP')).toEqual({ ...HTTP_CLIENT_LIMITS })
  expect(limitsOf('The client')).toEqual({
    ...CLIENT_TIMEOUTS,
    probeTimeoutMs: numberIn('connect/probe.ts', 'PROBE_TIMEOUT_MS'),
    maxRoundTrips: numberIn('client/client.ts', 'maxRoundTrips'),
    maxPages: PAGE_LIMITS.remote,
    storeTimeoutMs: numberIn('client/cache.ts', 'STORE_TIMEOUT_MS'),
  })
  const programs = partOf('The stdio client')
  for (const name of ['MAX_STDERR_CHARS', 'SHUTDOWN_TIMEOUT_MS', 'KILL_TIMEOUT_MS'])
    expect(programs).toContain(` ${numberIn('transports/stdio/spawn.ts', name).toLocaleString('en-US')} `)
})
