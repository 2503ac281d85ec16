import { type OutgoingHttpHeaders, request } from 'node:http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { eventually } from '../../../../../test-kit/eventually.ts'
import { createTestCore } from '../../../../../test-kit/test-core.ts'
import { type ListeningServer, type ServeOptions, serve } from '../../../../serve/node.ts'
import { memoryStores } from '../../../../stores/memory/memory.ts'
import { findDriver } from '../../../../stores/sqlite/driver.ts'
import { sqliteStores } from '../../../../stores/sqlite/sqlite.ts'

let server: ListeningServer | undefined
afterEach(() => server?.close())

async function start(options: ServeOptions = {}): Promise<void> {
  const { exchange } = createTestCore()
  server = await serve({ exchange, close() {} } as never, { port: 0, handleProcessSignals: false, ...options })
}

/** Sends a request and resolves to its status and body. */
function probe(path: string, method = 'GET', headers: OutgoingHttpHeaders = {}): Promise<[status: number, body: string]> {
  return new Promise((resolve, reject) => {
    const sent = request({ port: server?.port, path, method, headers, agent: false }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => (body += text))
      response.on('end', () => resolve([response.statusCode ?? 0, body]))
    })
    sent.on('error', reject).end()
  })
}

const OK = [200, 'ok\n']
const UNAVAILABLE = [503, 'unavailable\n']

describe('health checks', () => {
  test('answer at /livez and /readyz, for any Host and without authentication', async () => {
    const authenticate = vi.fn()
    await start({ authenticate })
    for (const path of ['/livez', '/readyz', '/readyz?verbose']) {
      expect(await probe(path, 'GET', { host: '10.1.2.3:8080' })).toEqual(OK)
      expect(await probe(path, 'HEAD')).toEqual([200, ''])
    }
    expect((await probe('/livez', 'POST'))[0]).toBe(404)
    expect((await probe('/', 'GET', { host: '10.1.2.3:8080' }))[0]).toBe(403)
    expect(authenticate).not.toHaveBeenCalled()
  })

  test('answer at other paths, or not at all', async () => {
    await start({ health: { livePath: '/up', readyPath: '/ready' } })
    expect(await probe('/up')).toEqual(OK)
    expect(await probe('/ready')).toEqual(OK)
    expect((await probe('/livez'))[0]).toBe(404)
    await server?.close()
    await start({ health: false })
    expect((await probe('/livez'))[0]).toBe(404)
    expect((await probe('/readyz'))[0]).toBe(404)
  })

  test.each(['get', 'set'] as const)('report that the store fails to %s, and that it works again', async (operation) => {
    const stores = memoryStores()
    await start({ stores })
    const failing = vi.spyOn(stores.store, operation).mockRejectedValue(new Error('The password is swordfish'))
    await eventually(async () => expect(await probe('/readyz')).toEqual(UNAVAILABLE))
    expect(await probe('/livez')).toEqual(OK)
    failing.mockRestore()
    await eventually(async () => expect(await probe('/readyz')).toEqual(OK))
    await stores.close()
  })

  test('report a full database although small values fit still, until it has space again', async () => {
    const database = findDriver()(':memory:')
    const stores = sqliteStores(database)
    await start({ stores })
    await stores.store.set('first', 'x'.repeat(50_000))
    const limit = (pages: number): void => void database.exec(`PRAGMA max_page_count = ${pages}`)
    limit(1)
    await stores.store.delete('first')
    expect(await probe('/readyz')).toEqual(OK)
    await expect(stores.store.set('large', 'x'.repeat(200_000))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    await stores.store.set('left', 'x'.repeat(40_000))
    await eventually(async () => expect(await probe('/readyz')).toEqual(UNAVAILABLE))
    await stores.store.set('small', 'x')
    expect(await probe('/readyz')).toEqual(UNAVAILABLE)
    limit(10_000)
    await eventually(async () => expect(await probe('/readyz')).toEqual(OK))
    await stores.close()
    database.close()
  })

  test('share one look at the store', async () => {
    const stores = memoryStores()
    const [get, set] = [vi.spyOn(stores.store, 'get'), vi.spyOn(stores.store, 'set')]
    await start({ stores })
    const before = get.mock.calls.length
    expect(await Promise.all(Array.from({ length: 50 }, () => probe('/readyz')))).toEqual(new Array(50).fill(OK))
    expect(get.mock.calls.length - before).toBeLessThan(10)
    expect(set.mock.calls.length).toBeLessThan(5)
    await stores.close()
  })

  test.each([
    ['returns false', () => false],
    [
      'throws',
      () => {
        throw new Error('not now')
      },
    ],
    ['rejects', () => Promise.reject(new Error('not now'))],
    ['never settles', () => new Promise(() => {})],
  ])('report that the server is not ready if the check %s', async (_title, check) => {
    await start({ health: { check, checkTimeoutMs: 50 } })
    expect(await probe('/readyz')).toEqual(UNAVAILABLE)
    expect(await probe('/livez')).toEqual(OK)
  })
})

test.each([
  [{ readyPath: 'readyz' }, "serve(): health: readyPath must start with a slash: '/readyz'"],
  [{ readypath: '/ready' }, 'serve(): health: unknown option "readypath". Did you mean "readyPath"?'],
  [{ check: true }, 'serve(): health: check must be a function'],
  [true, 'serve(): health: the options must be an object, not true'],
])('the settings %j are refused', async (health, message) => {
  await expect(start({ health: health as never })).rejects.toThrow(message)
})
