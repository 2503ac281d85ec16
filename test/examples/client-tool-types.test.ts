import { serve } from 'portcall/node'
import { expect, onTestFinished, test } from 'vitest'
import { add, server } from '../../examples/client-tool-types.ts'

test('client-tool-types', async () => {
  const { url, close } = await serve(server, { port: 0, handleProcessSignals: false })
  onTestFinished(close)
  expect(server.tools.names()).toEqual(['add', 'whoami'])
  expect(await add(url)).toBe(3)
})
