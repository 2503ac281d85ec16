import { describe, expect, test } from 'vitest'
import { hasOracle, oracle } from '../../../../test/support/oracle.ts'
import { METHODS } from './methods.ts'
import { type EntityType, LATEST_LEGACY, MODERN_VERSIONS, REVISIONS, revisionOf, SUPPORTED_VERSIONS } from './revisions.ts'

describe('the table of revisions', () => {
  test('is ordered by age, with the modern revisions last', () => {
    expect([...SUPPORTED_VERSIONS].sort()).toEqual(SUPPORTED_VERSIONS)
    expect(SUPPORTED_VERSIONS.slice(-MODERN_VERSIONS.length)).toEqual(MODERN_VERSIONS)
    expect(LATEST_LEGACY.version).toBe(SUPPORTED_VERSIONS.at(-1 - MODERN_VERSIONS.length))
  })

  test('revisionOf finds each revision by its version, and nothing else', () => {
    for (const revision of REVISIONS) expect(revisionOf(revision.version)).toBe(revision)
    for (const version of ['', '2026-07-27', 'toString', '__proto__']) expect(revisionOf(version)).toBeUndefined()
  })

  test('agrees with the table of methods on the newest revision', () => {
    expect([...REVISIONS.at(-1)!.requests].sort()).toEqual([...METHODS.keys()].sort())
  })

  test.each(REVISIONS)('$version is consistent', ({ fields, structuredContent, serverRequests, sampling, content }) => {
    expect(fields.toolResult.includes('structuredContent')).toBe(structuredContent !== 'none')
    expect(fields.elicitForm.length > 0).toBe(serverRequests.includes('elicitation/create'))
    expect(fields.link.length > 0).toBe(content.includes('resource_link'))
    expect(fields.samplingRequest.includes('tools')).toBe(sampling.content.includes('tool_use'))
    for (const list of [...Object.values(fields), serverRequests, content]) expect(new Set(list).size).toBe(list.length)
  })
})

/** The official definitions of the types in the table. Some types combine several definitions. */
const DEFINITIONS: { readonly [entity in EntityType]?: readonly string[] } = {
  implementation: ['Implementation'],
  tool: ['Tool'],
  resource: ['Resource'],
  template: ['ResourceTemplate'],
  prompt: ['Prompt'],
  promptArgument: ['PromptArgument'],
  link: ['ResourceLink'],
  contents: ['TextResourceContents', 'BlobResourceContents'],
  toolResult: ['CallToolResult'],
  samplingMessage: ['SamplingMessage'],
  stringField: ['StringSchema'],
  numberField: ['NumberSchema'],
  booleanField: ['BooleanSchema'],
  choiceField: ['EnumSchema', 'UntitledSingleSelectEnumSchema', 'TitledSingleSelectEnumSchema', 'LegacyTitledEnumSchema'],
  choicesField: ['UntitledMultiSelectEnumSchema', 'TitledMultiSelectEnumSchema'],
}

describe.skipIf(!hasOracle).each(REVISIONS)('the official schema of $version agrees on', (revision) => {
  const { fields, methods } = oracle(revision.version)
  const sorted = (list: Iterable<string>): string[] => [...new Set(list)].sort()

  test.each(Object.entries(DEFINITIONS))('the fields of %s', (entity, names) => {
    expect(sorted(revision.fields[entity as EntityType])).toEqual(sorted(names.flatMap(fields)))
  })

  test('the capabilities', () => {
    expect(sorted(revision.serverCapabilities)).toEqual(sorted(fields('ServerCapabilities')))
    expect(sorted(revision.clientCapabilities)).toEqual(sorted(fields('ClientCapabilities')))
  })

  test('the messages', () => {
    expect(sorted(revision.requests)).toEqual(sorted(methods('ClientRequest')))
    expect(sorted(revision.serverRequests)).toEqual(sorted(methods(revision.era === 'legacy' ? 'ServerRequest' : 'InputRequest')))
    expect(sorted(revision.notifications)).toEqual(sorted(methods('ServerNotification')))
  })

  test('the content', () => {
    const types = ['TextContent', 'ImageContent', 'EmbeddedResource', 'AudioContent', 'ResourceLink'].filter(
      (name) => fields(name).length > 0,
    )
    expect(revision.content).toHaveLength(types.length)
  })
})
