import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { PEER_LIMITS } from '../../packages/portcall/src/jsonrpc/peer.ts'
import { SERVER_LIMITS } from '../../packages/portcall/src/server/options.ts'
import { HTTP_LIMITS } from '../../packages/portcall/src/transports/http/limits.ts'

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')
const isThere = (path: string): boolean => existsSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)))
const SRC = 'packages/portcall/src/'

test('ARCHITECTURE.md names files that exist, and functions that are in them', () => {
  const faults: string[] = []
  let named = 0
  for (const line of read('ARCHITECTURE.md').split('\n')) {
    const names = [...line.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
    const files = names
      .filter((name) => /^[\w-]+(\/[\w.-]+)+\.(ts|mjs)$/.test(name))
      .map((name) => (isThere(name) ? name : SRC + name))
    faults.push(...files.filter((file) => !isThere(file)))
    const texts = files.filter(isThere).map(read)
    for (const name of names.filter((word) =>
      /^(create|render)[A-Z]\w+$|^[A-Z]+_?[A-Z]+$|^(forward|post|wrap|toolResult|isModern|serveChannel)$/.test(word),
    )) {
      named++
      if (texts.length > 0 && !texts.some((text) => new RegExp(`\\b${name}\\b`).test(text)))
        faults.push(`${name} in ${files.join(', ')}`)
    }
  }
  expect(faults).toEqual([])
  expect(named).toBeGreaterThan(20)
})

test('docs/limits.md has every limit with its default', () => {
  const rows = new Map(
    [...read('docs/limits.md').matchAll(/^\| `(?:limits\.)?(\w+)` \| ([\d,]+)/gm)].map(([, name, value]) => [
      name,
      Number(value?.replaceAll(',', '')),
    ]),
  )
  const { maxBufferedBytes, ...http } = HTTP_LIMITS
  expect(maxBufferedBytes).toBe(4 * 1024 * 1024)
  expect(Object.fromEntries(rows)).toMatchObject({ ...SERVER_LIMITS, ...PEER_LIMITS, ...http })
})
