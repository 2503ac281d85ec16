import { describe, expect, test } from 'vitest'
import { createHostCheck, type HostCheckOptions, insecureAnyHost, insecureAnyOrigin } from './host-check.ts'
import type { HttpError } from './http-error.ts'
import type { HttpRequest } from './types.ts'

function check(options: HostCheckOptions, headers: Record<string, string>, target = '/mcp'): number {
  const header = (name: string): string | undefined => headers[name]
  try {
    createHostCheck(options)({ host: headers.host, header, target } as HttpRequest)
    return 200
  } catch (error) {
    return (error as HttpError).status
  }
}

describe('allowed hosts', () => {
  const options = { allowedHosts: ['api.example.com', 'Other.example.com:8443'] }

  test('replace the loopback names; a name without a port allows all ports', () => {
    expect(check(options, { host: 'api.example.com' })).toBe(200)
    expect(check(options, { host: 'API.example.com:1234' })).toBe(200)
    expect(check(options, { host: 'other.example.com:8443' })).toBe(200)
    for (const host of [
      'localhost',
      'other.example.com',
      'xapi.example.com',
      'api.example.com.evil',
      'api.example.com@evil',
      'evil@api.example.com',
    ])
      expect(check(options, { host })).toBe(403)
  })

  test('are the default of the allowed origins', () => {
    const host = 'api.example.com'
    expect(check(options, { host, origin: 'https://api.example.com' })).toBe(200)
    expect(check(options, { host, origin: 'http://localhost:3000' })).toBe(403)
    const named = { ...options, allowedOrigins: ['https://app.example.com/', 'vscode-webview://abc'] }
    expect(check(named, { host, origin: 'https://app.example.com' })).toBe(200)
    expect(check(named, { host, origin: 'vscode-webview://abc' })).toBe(200)
    for (const origin of ['https://api.example.com', 'http://app.example.com', 'https://app.example.com:444', 'null'])
      expect(check(named, { host, origin })).toBe(403)
  })

  test('apply to absolute request targets', () => {
    const host = 'api.example.com'
    expect(check(options, { host }, 'https://api.example.com/mcp')).toBe(200)
    for (const target of ['https://evil/mcp', 'evil:443', '', 'http:///mcp']) expect(check(options, { host }, target)).toBe(403)
  })
})

describe('insecure options', () => {
  test('insecureAnyHost does not allow every origin', () => {
    expect(check({ allowedHosts: insecureAnyHost }, { host: 'evil.example' })).toBe(200)
    expect(check({ allowedHosts: insecureAnyHost }, { host: 'evil.example', origin: 'http://evil.example' })).toBe(403)
    expect(check({ allowedHosts: insecureAnyHost }, { host: 'evil.example', origin: 'http://localhost' })).toBe(200)
  })

  test('insecureAnyOrigin does not allow every host', () => {
    expect(check({ allowedOrigins: insecureAnyOrigin }, { host: 'localhost', origin: 'null' })).toBe(200)
    expect(check({ allowedOrigins: insecureAnyOrigin }, { host: 'evil.example', origin: 'null' })).toBe(403)
  })
})
