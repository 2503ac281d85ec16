import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { challengeScope, writeChallenge } from './challenge.ts'
import { isSameResource, parseResource } from './resource.ts'
import { addImpliedScopes } from './validate-token.ts'

/** Parses one challenge strictly by RFC 9110, without escapes. */
function read(text: string): Record<string, string> {
  const rest = text.replace(/^\w+ ?/, '')
  const parameters: Record<string, string> = {}
  for (let remaining = rest; remaining !== ''; ) {
    const [whole, name = '', value = ''] = /^(\w+)="([\x20\x21\x23-\x5b\x5d-\x7e]*)"(?:, |$)/.exec(remaining) ?? []
    if (whole === undefined) throw new Error(`not a challenge: ${remaining}`)
    parameters[name] = value
    remaining = remaining.slice(whole.length)
  }
  return parameters
}

describe('a challenge', () => {
  test('can be parsed, whatever its parameters contain', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (error, scope) => {
        const written = writeChallenge('Bearer', { error, scope, nothing: undefined })
        expect(written).toMatch(/^[\x20-\x7e]*$/)
        expect(Object.keys(read(written))).toEqual(['error', 'scope'])
        if (/^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(error)) expect(read(written).error).toBe(error)
      }),
    )
  })

  test('contains each valid scope once, and not offline_access', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom('a', 'b', 'offline_access', 'a b', '"', '\\'))), (scopes) => {
        const joined = challengeScope(scopes, scopes)
        const names = joined?.split(' ') ?? []
        expect(new Set(names).size).toBe(names.length)
        expect(names.every((name) => scopes.includes(name) && /^[^\s"\\]+$/.test(name))).toBe(true)
        expect(names).not.toContain('offline_access')
      }),
    )
  })
})

describe('a resource', () => {
  const host = fc.constantFrom(
    'api.example.com',
    'API.example.com',
    'other.example.com',
    'api.example.com:443',
    'api.example.com:8443',
  )
  const path = fc.constantFrom('', '/', '/mcp', '/mcp/', '/MCP', '/a/b', '/mcp?x=1')
  const uri = fc.tuple(host, path).map(([name, rest]) => `https://${name}${rest}`)

  test('equals itself in any spelling, and no other', () => {
    fc.assert(
      fc.property(uri, uri, (a, b) => {
        const same = isSameResource(a, b)
        expect(isSameResource(b, a)).toBe(same)
        expect(isSameResource(a, parseResource(a).uri)).toBe(true)
        const [one, two] = [a, b].map((text) =>
          text.toLowerCase().replace(':443', '').replace(/\/$/, '').replace('/mcp/', '/mcp'),
        )
        if (one !== two) expect(same).toBe(false)
      }),
    )
  })
})

describe('implied scopes', () => {
  test('are complete, and cycles end', () => {
    const scope = fc.constantFrom('a', 'b', 'c', 'd', '__proto__', 'constructor')
    fc.assert(
      fc.property(fc.array(scope), fc.dictionary(scope, fc.array(scope)), (scopes, implied) => {
        const all = addImpliedScopes(scopes, implied)
        for (const one of scopes) expect(all).toContain(one)
        for (const one of all)
          for (const other of Object.hasOwn(implied, one) ? (implied[one] ?? []) : []) expect(all).toContain(other)
      }),
    )
  })
})
