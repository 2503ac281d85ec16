import type { spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import { openUrl } from './open-url.ts'

/** A system that starts nothing, and says how what it was told to start has ended. */
function system(ending: (child: EventEmitter) => void = (child) => child.emit('exit', 0)) {
  const calls: unknown[][] = []
  const start = (...call: unknown[]) => {
    calls.push(call)
    const child = Object.assign(new EventEmitter(), { unref() {} })
    queueMicrotask(() => ending(child))
    return child
  }
  return { calls, spawn: start as unknown as typeof spawn }
}

const url = new URL('https://a.example/authorize?x=a&y="$(calc)`|;%0a\' --flag')

describe('the browser', () => {
  test.each([
    ['darwin', '/usr/bin/open', []],
    ['linux', 'xdg-open', []],
    ['freebsd', 'xdg-open', []],
    ['win32', 'C:\\Windows\\System32\\rundll32.exe', ['url.dll,FileProtocolHandler']],
  ] as const)('C57 is opened on %s without a shell, with the address as one argument', async (platform, command, args) => {
    vi.stubEnv('SystemRoot', undefined)
    const { calls, spawn } = system()
    await openUrl(url, { spawn, platform })
    vi.unstubAllEnvs()
    expect(calls).toEqual([[command, [...args, url.href], expect.objectContaining({ shell: false, stdio: 'ignore' })]])
    expect(url.href).not.toMatch(/["\s]/)
  })

  test.each(['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'vbscript:x', 'ms-settings:x'])(
    'C57 never opens %s',
    (text) => {
      const { calls, spawn } = system()
      expect(() => openUrl(new URL(text), { spawn })).toThrow(TypeError)
      expect(calls).toEqual([])
    },
  )

  test('that cannot be opened is an error that says what to do', async () => {
    const missing = system((child) => child.emit('error', new Error('spawn xdg-open ENOENT')))
    await expect(openUrl(url, missing)).rejects.toThrow('ENOENT. Give `open`')
    const failing = system((child) => child.emit('exit', 3))
    await expect(openUrl(url, { ...failing, platform: 'linux' })).rejects.toThrow('xdg-open ended with 3')
  })

  test('that stays open is not waited for', async () => {
    vi.useFakeTimers()
    const opened = openUrl(
      url,
      system(() => {}),
    )
    await vi.advanceTimersByTimeAsync(3000)
    vi.useRealTimers()
    await opened
  })
})
