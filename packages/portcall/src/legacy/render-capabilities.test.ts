import { describe, expect, test } from 'vitest'
import { REVISIONS, type Revision } from '../protocol/revisions.ts'
import { readCapabilities, renderCapabilities } from './render-capabilities.ts'
import { renderImplementation } from './render-entity.ts'

const [A, B, C, D] = REVISIONS as [Revision, Revision, Revision, Revision]

describe('what a server declares', () => {
  const capabilities = {
    tools: { listChanged: true },
    resources: { subscribe: true },
    completions: {},
    logging: {},
    extensions: { 'a/b': {} },
    experimental: { c: {} },
  }

  test('completions have no flag in 2024-11-05; extensions are told in every revision', () => {
    const { completions: _, ...older } = capabilities
    expect(renderCapabilities(capabilities, A)).toEqual(older)
    for (const revision of [B, C, D]) expect(renderCapabilities(capabilities, revision)).toEqual(capabilities)
  })

  test('its name and version, and what else the revision knows of it', () => {
    const info = { name: 'n', version: '1', title: 'T', description: 'D', websiteUrl: 'https://example.com', icons: [] }
    for (const revision of [A, B]) expect(renderImplementation(info, revision)).toEqual({ name: 'n', version: '1' })
    expect(renderImplementation(info, C)).toEqual({ name: 'n', version: '1', title: 'T' })
    expect(renderImplementation(info, D)).toEqual(info)
  })
})

describe('what a client declares', () => {
  test('true stands for {}, false and null for nothing', () => {
    expect(readCapabilities({ roots: true, sampling: true, elicitation: null, extensions: false }, D)).toEqual({
      roots: {},
      sampling: {},
    })
    for (const raw of [undefined, null, 'x', []]) expect(readCapabilities(raw, D)).toEqual({})
  })

  test('ELI-001 elicitation without modes means forms', () => {
    expect(readCapabilities({ elicitation: {} }, D)).toEqual({ elicitation: { form: {} } })
    expect(readCapabilities({ elicitation: { url: {} } }, D)).toEqual({ elicitation: { url: {} } })
    expect(readCapabilities({ elicitation: { form: true, url: {} } }, D)).toEqual({ elicitation: { form: {}, url: {} } })
  })

  test('ELI-003 what the revision cannot ask is left out', () => {
    for (const revision of [A, B]) expect(readCapabilities({ elicitation: {}, tasks: {} }, revision)).toEqual({})
    expect(readCapabilities({ elicitation: { url: {} } }, C)).toEqual({ elicitation: { form: {} } })
  })

  test('SMP-015 the context of the client needs a flag from 2025-11-25', () => {
    for (const revision of [A, B, C])
      expect(readCapabilities({ sampling: { tools: {} } }, revision)).toEqual({ sampling: { context: {} } })
    expect(readCapabilities({ sampling: { tools: {} } }, D)).toEqual({ sampling: { tools: {} } })
  })

  test('extensions are read in every revision, an old name too', () => {
    const ui = { mimeTypes: ['text/html'] }
    expect(readCapabilities({ extensions: { 'io.modelcontextprotocol/apps': ui } }, A)).toEqual({
      extensions: { 'io.modelcontextprotocol/apps': ui, 'io.modelcontextprotocol/ui': ui },
    })
  })
})
