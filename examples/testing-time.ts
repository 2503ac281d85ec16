/** Tests with a fake clock. */
import { createServer } from 'portcall'
import { type KeyValueStore, memoryStores } from 'portcall/stores'
import { assertRejects, connectPair, createFakeClock, storeContract, type TestFramework } from 'portcall/testing'

const server = createServer({ name: 'time', version: '1.0.0' })
server.tool(
  'sleep',
  {},
  (_, { signal }) => new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('woken'))),
)

// #region clock
/** A response that never arrives: the clock advances one minute at once. */
export async function testPatience(): Promise<void> {
  await using client = await connectPair(server)
  const clock = createFakeClock()
  using _installed = clock.install()
  const rejected = assertRejects(client.callTool('sleep'), { code: 'TIMEOUT' })
  await clock.advance(60_000)
  await rejected
}
// #endregion

// #region stores
/** Registers the tests that every store has to pass, here for the in-memory store. */
export function testStore(test: TestFramework<KeyValueStore>['test']): void {
  storeContract({
    test,
    create() {
      const clock = createFakeClock()
      return { subject: memoryStores({ now: clock.now }).store, advance: clock.advance }
    },
  })
}
// #endregion
