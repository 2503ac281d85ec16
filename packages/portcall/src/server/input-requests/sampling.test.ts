import { describe, expect, it } from 'vitest'
import type { SamplingContent, SamplingMessage } from '../../protocol/input-types.ts'
import { checkSampling } from './sampling.ts'

const text: SamplingContent = { type: 'text', text: 'x' }
const use = (id: string): SamplingContent => ({ type: 'tool_use', id, name: 't', input: {} })
const result = (toolUseId: string): SamplingContent => ({ type: 'tool_result', toolUseId, content: [] })
const user = (...content: SamplingContent[]): SamplingMessage => ({ role: 'user', content })
const assistant = (...content: SamplingContent[]): SamplingMessage => ({ role: 'assistant', content })
const check =
  (...messages: SamplingMessage[]) =>
  () =>
    checkSampling({ messages, maxTokens: 1 })

describe('sampling params', () => {
  it('SMP-011 SMP-012 contain the result of each tool use in the next message, and nothing else there', () => {
    expect(check()).not.toThrow()
    expect(check({ role: 'user', content: text })).not.toThrow()
    expect(check(user(text), assistant(text, use('a'), use('b')), user(result('b'), result('a')), assistant(text))).not.toThrow()
    expect(check(user(text), assistant(use('a')))).toThrow('tool_use')
    expect(check(assistant(use('a')), user(text))).toThrow('tool_use')
    expect(check(assistant(use('a')), user(result('b')))).toThrow('tool_use')
    expect(check(assistant(use('a')), user(result('a'), text))).toThrow('nothing else')
    expect(check(user(result('a')))).toThrow('tool_use')
  })

  it('SMP-019 have priorities between 0 and 1', () => {
    expect(() => checkSampling({ messages: [], maxTokens: 1, modelPreferences: { costPriority: 1.5 } })).toThrow('costPriority')
    expect(() =>
      checkSampling({ messages: [], maxTokens: 1, modelPreferences: { costPriority: 1, speedPriority: 0 } }),
    ).not.toThrow()
  })
})
