/** Tests in which time passes without being waited for. */
import { createServer } from 'portcall'
import { memory, type Store } from 'portcall/stores'
import { assertRejects, createClock, pair, type Suite, storeContract } from 'portcall/testing'

const server = createServer({ name: 'time', version: '1.0.0' })
server.tool(
  'sleep',
  {},
  (_, { signal }) => new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('woken'))),
)

// #region clock
/** An answer that does not come: a minute passes in no time. */
export async function testPatience(): Promise<void> {
  await using client = await pair(server)
  const clock = createClock()
  using _installed = clock.install()
  const late = assertRejects(client.callTool('sleep'), { code: 'TIMEOUT' })
  await clock.advance(60_000)
  await late
}
// #endregion

// #region stores
/** Registers the tests that a store has to pass; here it is the one in memory. */
export function testStore(test: Suite<Store>['test']): void {
  storeContract({
    test,
    create() {
      const clock = createClock()
      return { subject: memory({ now: clock.now }).store, advance: clock.advance }
    },
  })
}
// #endregion
