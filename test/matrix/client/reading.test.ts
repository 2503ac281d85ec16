import { RpcError } from 'portcall/client'
import type { JsonObject } from 'portcall/jsonrpc'
import { expect } from 'vitest'
import { BLOCKS } from '../server/calling.ts'
import { clientMatrix, GAPS, watch } from './clients.ts'

const GREETS = { type: 'ref/prompt', name: 'greets' } as const

clientMatrix('reading', (it) => {
  it('RES-009 RES-010 text, bytes, streams and several contents are read', async ({ client }) => {
    expect((await client.read('memo://text')).contents).toEqual([{ uri: 'memo://text', mimeType: 'text/plain', text: 'memo' }])
    expect((await client.read('memo://bytes')).contents).toEqual([
      { uri: 'memo://bytes', mimeType: 'application/octet-stream', blob: 'AAEC' },
    ])
    expect((await client.read('memo://stream')).contents).toMatchObject([{ text: 'one two' }])
    expect((await client.read('memo://several')).contents).toMatchObject([{ text: 'one' }, { blob: 'AAEC' }])
  })

  it('RES-006 what a template describes is read', async ({ client }) => {
    expect((await client.read('page://7')).contents).toMatchObject([{ text: 'after 7 comes 8' }])
    expect((await client.read('file:///root/%C3%BCn%C3%AF.txt')).contents).toMatchObject([{ text: 'ü' }])
  })

  it('RES-012 RES-014 BASE-030 what is not there is the same error in every era', async ({ client }) => {
    for (const uri of ['memo://nowhere', 'memo://gone', 'note://cherry', 'page://seven', 'unheard://of']) {
      const error = await client.read(uri).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(RpcError)
      expect(error).toMatchObject({ code: -32602, data: { uri } })
    }
  })

  it('a server that fails is an error of its own', async ({ client }) => {
    await expect(client.read('memo://flood')).rejects.toMatchObject({ code: -32603 })
  })

  it('PRM-004 PRM-005 prompts are filled in', async ({ client }) => {
    expect((await client.getPrompt('plain')).messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Just do it.' } }])
    const { messages } = await client.getPrompt('greets', { name: 'Ada', tone: 'formal' })
    expect(messages).toMatchObject([{ role: 'user', content: { text: 'Greet Ada in a formal tone.' } }])
  })

  it('PRM-006 a prompt shows every kind of content', async ({ client }, { revision }) => {
    const { description, messages } = await client.getPrompt('shows')
    expect(description).toBe('Everything')
    expect(messages).toHaveLength(BLOCKS.length)
    if (revision >= '2025-06-18') expect(messages.map(({ content }) => content)).toEqual(BLOCKS)
  })

  it('PRM-010 an unknown prompt, and missing arguments, are refused with -32602', async ({ client }) => {
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
    'CMP-003 completion knows what is filled in already',
    async ({ client }) => {
      const { values } = await client.complete(GREETS, { name: 'tone', value: 'f' }, { arguments: { name: 'Ada' } })
      expect(values).toEqual(['formal', 'fond'])
    },
    GAPS.context,
  )

  it('CMP-003 LIFE-013 what is filled in already is told only to servers that know what that is', async (peer, { revision }) => {
    const wire = watch(peer)
    await peer.client.complete(GREETS, { name: 'tone', value: 'f' }, { arguments: { name: 'Ada' } })
    const [{ context } = {}] = wire.sent('completion/complete').map(({ params }) => params as JsonObject)
    expect(context).toEqual(revision < '2025-06-18' ? undefined : { arguments: { name: 'Ada' } })
  })
})
