import { expect } from 'vitest'
import type { Driver } from '../support/driver.ts'
import { GAPS, matrix } from './matrix.ts'
import { BLOCKS } from './server/tools.ts'

interface Completed {
  values: string[]
  total?: number
  hasMore?: boolean
}

const GREETS = { type: 'ref/prompt', name: 'greets' }

async function complete(peer: Driver, ref: object, argument: object, context?: object): Promise<Completed> {
  const { result } = await peer.request('completion/complete', { ref, argument, ...(context && { context }) })
  return result.completion as Completed
}

matrix('prompts', (it) => {
  it('PRM-004 PRM-005 a prompt is filled in', async (peer) => {
    expect((await peer.request('prompts/get', { name: 'plain' })).result.messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Just do it.' } },
    ])
    const { result } = await peer.request('prompts/get', { name: 'greets', arguments: { name: 'Ada', tone: 'formal' } })
    expect(result.messages).toMatchObject([{ role: 'user', content: { text: 'Greet Ada in a formal tone.' } }])
  })

  it('PRM-006 PRM-007 PRM-008 a prompt returns every kind of content that the revision defines', async (peer) => {
    const { result } = await peer.request('prompts/get', { name: 'shows' })
    expect(result.description).toBe('Everything')
    expect(result.messages).toHaveLength(BLOCKS.length)
  })

  it('PRM-010 PRM-011 an unknown prompt, missing and invalid arguments are rejected with -32602', async (peer) => {
    for (const params of [
      { name: 'no-such-prompt' },
      { name: 'greets' },
      { name: 'greets', arguments: {} },
      { name: 'greets', arguments: { name: 7 } },
    ])
      expect((await peer.request('prompts/get', params)).error?.code).toBe(-32602)
    expect(JSON.stringify((await peer.request('prompts/get', { name: 'greets', arguments: {} })).error)).toContain('name')
  })

  it('CMP-002 CMP-006 arguments of prompts and variables of templates are completed', async (peer) => {
    expect((await complete(peer, GREETS, { name: 'name', value: 'A' })).values).toEqual(['Ada'])
    expect((await complete(peer, { type: 'ref/resource', uri: 'note://{id}' }, { name: 'id', value: 'ap' })).values).toEqual([
      'apple',
      'apricot',
    ])
  })

  it(
    'CMP-003 completion receives the arguments that are already filled in',
    async (peer) => {
      const context = { arguments: { name: 'Ada' } }
      expect((await complete(peer, GREETS, { name: 'tone', value: 'f' }, context)).values).toEqual(['formal', 'fond'])
      expect((await complete(peer, GREETS, { name: 'tone', value: 'f' })).values).toEqual([])
    },
    GAPS.context,
  )

  it('CMP-004 at most 100 suggestions are sent, with hasMore when there are more', async (peer) => {
    const completed = await complete(peer, { type: 'ref/prompt', name: 'counts' }, { name: 'n', value: '' })
    expect(completed.values).toHaveLength(100)
    expect(completed).toMatchObject({ total: 150, hasMore: true })
  })

  it('CMP-005 completion of an unknown argument is rejected with -32602, and an argument without a completer has no suggestions', async (peer) => {
    for (const ref of [
      { type: 'ref/prompt', name: 'no-such-prompt' },
      { type: 'ref/resource', uri: 'nothing://{here}' },
      { type: 'ref/other' },
    ])
      expect((await peer.request('completion/complete', { ref, argument: { name: 'x', value: '' } })).error?.code).toBe(-32602)
    expect(
      (
        await complete(peer, { type: 'ref/prompt', name: 'plain' }, { name: 'constructor', value: '' }).catch(() => ({
          values: [],
        }))
      ).values,
    ).toEqual([])
  })
})
