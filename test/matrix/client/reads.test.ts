import { RpcError } from 'portcall/client'
import type { JsonObject } from 'portcall/jsonrpc'
import { expect } from 'vitest'
import { BLOCKS } from '../server/tools.ts'
import { clientMatrix, GAPS, viewWire } from './client-matrix.ts'

const GREETS = { type: 'ref/prompt', name: 'greets' } as const

clientMatrix('reads', (it) => {
  it('RES-009 RES-010 text, bytes, streams and several contents are read', async ({ client }) => {
    expect((await client.readResource('memo://text')).contents).toEqual([
      { uri: 'memo://text', mimeType: 'text/plain', text: 'memo' },
    ])
    expect((await client.readResource('memo://bytes')).contents).toEqual([
      { uri: 'memo://bytes', mimeType: 'application/octet-stream', blob: 'AAEC' },
    ])
    expect((await client.readResource('memo://stream')).contents).toMatchObject([{ text: 'one two' }])
    expect((await client.readResource('memo://several')).contents).toMatchObject([{ text: 'one' }, { blob: 'AAEC' }])
  })

  it('RES-006 resources of a template are read', async ({ client }) => {
    expect((await client.readResource('page://7')).contents).toMatchObject([{ text: '7 is followed by 8' }])
    expect((await client.readResource('file:///root/%C3%BCn%C3%AF.txt')).contents).toMatchObject([{ text: 'ü' }])
  })

  it('RES-012 RES-014 BASE-030 a missing resource is the same error in every era', async ({ client }) => {
    for (const uri of ['memo://nowhere', 'memo://gone', 'note://cherry', 'page://seven', 'unheard://of']) {
      const error = await client.readResource(uri).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(RpcError)
      expect(error).toMatchObject({ code: -32602, data: { uri } })
    }
  })

  it('a failure of the server is a separate error', async ({ client }) => {
    await expect(client.readResource('memo://flood')).rejects.toMatchObject({ code: -32603 })
  })

  it('PRM-004 PRM-005 prompts are filled in', async ({ client }) => {
    expect((await client.getPrompt('plain')).messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Just do it.' } }])
    const { messages } = await client.getPrompt('greets', { name: 'Ada', tone: 'formal' })
    expect(messages).toMatchObject([{ role: 'user', content: { text: 'Greet Ada in a formal tone.' } }])
  })

  it('PRM-006 a prompt returns every kind of content', async ({ client }, { revision }) => {
    const { description, messages } = await client.getPrompt('shows')
    expect(description).toBe('Everything')
    expect(messages).toHaveLength(BLOCKS.length)
    if (revision >= '2025-06-18') expect(messages.map(({ content }) => content)).toEqual(BLOCKS)
  })

  it('PRM-010 an unknown prompt and missing arguments are rejected with -32602', async ({ client }) => {
    await expect(client.getPrompt('no-such-prompt')).rejects.toMatchObject({ code: -32602 })
    await expect(client.getPrompt('greets', {})).rejects.toMatchObject({ code: -32602 })
  })

  it('CMP-002 CMP-004 arguments of prompts and variables of templates are completed', async ({ client }) => {
    expect((await client.complete(GREETS, { name: 'name', value: 'A' })).values).toEqual(['Ada'])
    expect((await client.complete({ type: 'ref/resource', uri: 'note://{id}' }, { name: 'id', value: 'ap' })).values).toEqual([
      'apple',
      'apricot',
    ])
    const many = await client.complete({ type: 'ref/prompt', name: 'counts' }, { name: 'n', value: '' })
    expect(many).toMatchObject({ total: 150, hasMore: true })
    expect(many.values).toHaveLength(100)
    await expect(client.complete({ type: 'ref/prompt', name: 'nobody' }, { name: 'n', value: '' })).rejects.toMatchObject({
      code: -32602,
    })
  })

  it(
    'CMP-003 completion receives the arguments that are already filled in',
    async ({ client }) => {
      const { values } = await client.complete(GREETS, { name: 'tone', value: 'f' }, { arguments: { name: 'Ada' } })
      expect(values).toEqual(['formal', 'fond'])
    },
    GAPS.context,
  )

  it('CMP-003 LIFE-013 arguments that are already filled in are sent only to servers that support the completion context', async (peer, {
    revision,
  }) => {
    const wire = viewWire(peer)
    await peer.client.complete(GREETS, { name: 'tone', value: 'f' }, { arguments: { name: 'Ada' } })
    const [{ context } = {}] = wire.sent('completion/complete').map(({ params }) => params as JsonObject)
    expect(context).toEqual(revision < '2025-06-18' ? undefined : { arguments: { name: 'Ada' } })
  })
})
