import type { spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import { openUrl } from './open-url.ts'

/** A fake `spawn` that records its calls and emits the events of the child process. */
function fakeSpawn(emit: (child: EventEmitter) => void = (child) => child.emit('exit', 0)) {
  const calls: unknown[][] = []
  const start = (...call: unknown[]) => {
    calls.push(call)
    const child = Object.assign(new EventEmitter(), { unref() {} })
    queueMicrotask(() => emit(child))
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
  ] as const)('C57 is opened on %s without a shell, with the URL as one argument', async (platform, command, args) => {
    vi.stubEnv('SystemRoot', undefined)
    const { calls, spawn } = fakeSpawn()
    await openUrl(url, { spawn, platform })
    vi.unstubAllEnvs()
    expect(calls).toEqual([[command, [...args, url.href], expect.objectContaining({ shell: false, stdio: 'ignore' })]])
    expect(url.href).not.toMatch(/["\s]/)
  })

  test.each(['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'vbscript:x', 'ms-settings:x'])(
    'C57 never opens %s',
    (text) => {
      const { calls, spawn } = fakeSpawn()
      expect(() => openUrl(new URL(text), { spawn })).toThrow(TypeError)
      expect(calls).toEqual([])
    },
  )

  test('reports a failure with advice', async () => {
    const missing = fakeSpawn((child) => child.emit('error', new Error('spawn xdg-open ENOENT')))
    await expect(openUrl(url, missing)).rejects.toThrow('ENOENT. Pass `open`')
    const failing = fakeSpawn((child) => child.emit('exit', 3))
    await expect(openUrl(url, { ...failing, platform: 'linux' })).rejects.toThrow('xdg-open exited with code 3')
  })

  test('may keep running', async () => {
    vi.useFakeTimers()
    const opened = openUrl(
      url,
      fakeSpawn(() => {}),
    )
    await vi.advanceTimersByTimeAsync(3000)
    vi.useRealTimers()
    await opened
  })
})
