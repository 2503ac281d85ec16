import type { Driver } from '../support/driver.ts'

/** The fixed sequence of requests of the golden transcripts, with one of each kind. */
export async function converse(peer: Driver): Promise<void> {
  const call = (name: string, args: object = {}, token?: string): Promise<unknown> =>
    peer.request('tools/call', { name, arguments: args }, token === undefined ? {} : { meta: { progressToken: token } })

  peer.onInputRequest(({ method }) =>
    method === 'roots/list' ? { roots: [{ uri: 'file:///home' }] } : { action: 'accept', content: { name: 'Ada' } },
  )
  await peer.request('tools/list')
  await call('echo', { text: 'Grüße' })
  await call('echo', { text: 1 })
  await call('weighs', {}, 'token')
  await call('points')
  await call('roots')
  await call('asks')
  await call('nobody')
  await peer.request('resources/read', { uri: 'memo://one' })
  await peer.request('resources/read', { uri: 'memo://two' })
  await peer.request('prompts/get', { name: 'polite', arguments: { whom: 'Ada' } })
  await peer.request('no/such/method', {})
  const changes = await peer.changes({ resourceSubscriptions: ['memo://one'] })
  await call('touches')
  while (changes.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await changes.close()
}
