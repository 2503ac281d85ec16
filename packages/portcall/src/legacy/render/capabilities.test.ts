import { describe, expect, test } from 'vitest'
import { REVISIONS, type Revision } from '../../protocol/revisions.ts'
import { readLegacyClientCapabilities, renderServerCapabilities } from './capabilities.ts'
import { renderImplementation } from './definitions.ts'

const [A, B, C, D] = REVISIONS as [Revision, Revision, Revision, Revision]

describe('server capabilities', () => {
  const capabilities = {
    tools: { listChanged: true },
    resources: { subscribe: true },
    completions: {},
    logging: {},
    extensions: { 'a/b': {} },
    experimental: { c: {} },
  }

  test('omit completions in 2024-11-05, and include extensions in every revision', () => {
    const { completions: _, ...older } = capabilities
    expect(renderServerCapabilities(capabilities, A)).toEqual(older)
    for (const revision of [B, C, D]) expect(renderServerCapabilities(capabilities, revision)).toEqual(capabilities)
  })

  test('serverInfo has the fields that the revision defines', () => {
    const info = { name: 'n', version: '1', title: 'T', description: 'D', websiteUrl: 'https://example.com', icons: [] }
    for (const revision of [A, B]) expect(renderImplementation(info, revision)).toEqual({ name: 'n', version: '1' })
    expect(renderImplementation(info, C)).toEqual({ name: 'n', version: '1', title: 'T' })
    expect(renderImplementation(info, D)).toEqual(info)
  })
})

describe('client capabilities', () => {
  test('true means {}; false and null mean absent', () => {
    expect(readLegacyClientCapabilities({ roots: true, sampling: true, elicitation: null, extensions: false }, D)).toEqual({
      roots: {},
      sampling: {},
    })
    for (const raw of [undefined, null, 'x', []]) expect(readLegacyClientCapabilities(raw, D)).toEqual({})
  })

  test('ELI-001 elicitation without modes means form mode', () => {
    expect(readLegacyClientCapabilities({ elicitation: {} }, D)).toEqual({ elicitation: { form: {} } })
    expect(readLegacyClientCapabilities({ elicitation: { url: {} } }, D)).toEqual({ elicitation: { url: {} } })
    expect(readLegacyClientCapabilities({ elicitation: { form: true, url: {} } }, D)).toEqual({
      elicitation: { form: {}, url: {} },
    })
  })

  test('ELI-003 capabilities without a request in the revision are dropped', () => {
    for (const revision of [A, B]) expect(readLegacyClientCapabilities({ elicitation: {}, tasks: {} }, revision)).toEqual({})
    expect(readLegacyClientCapabilities({ elicitation: { url: {} } }, C)).toEqual({ elicitation: { form: {} } })
  })

  test('SMP-015 includeContext needs a capability from 2025-11-25 on', () => {
    for (const revision of [A, B, C])
      expect(readLegacyClientCapabilities({ sampling: { tools: {} } }, revision)).toEqual({ sampling: { context: {} } })
    expect(readLegacyClientCapabilities({ sampling: { tools: {} } }, D)).toEqual({ sampling: { tools: {} } })
  })

  test('extensions are read in every revision, including former names', () => {
    const ui = { mimeTypes: ['text/html'] }
    expect(readLegacyClientCapabilities({ extensions: { 'io.modelcontextprotocol/apps': ui } }, A)).toEqual({
      extensions: { 'io.modelcontextprotocol/apps': ui, 'io.modelcontextprotocol/ui': ui },
    })
  })
})
