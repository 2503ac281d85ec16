import { serve } from 'portcall/node'
import { expect, onTestFinished, test } from 'vitest'
import { read, server } from '../../examples/client-item-types.ts'

test('client-item-types', async () => {
  const { url, close } = await serve(server, { port: 0, handleProcessSignals: false })
  onTestFinished(close)
  const [message, note] = await read(url, 'ada')
  expect(message).toMatchObject({ content: { text: 'Summarize the notes of ada.' } })
  expect(note).toMatchObject({ uri: 'notes://by/ada', text: 'Notes of ada' })
})
