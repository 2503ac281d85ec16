import { expect } from 'vitest'
import type { Driver } from '../support/driver.ts'
import type { Outcome } from '../support/requests.ts'
import { matrix, readJournal } from './matrix.ts'

const read = (peer: Driver, uri: string): Promise<Outcome> => peer.request('resources/read', { uri })

matrix('resources', (it) => {
  it('RES-009 RES-019 text, bytes and streams are read', async (peer) => {
    expect((await read(peer, 'memo://text')).result.contents).toEqual([
      { uri: 'memo://text', mimeType: 'text/plain', text: 'memo' },
    ])
    expect((await read(peer, 'memo://bytes')).result.contents).toEqual([
      { uri: 'memo://bytes', mimeType: 'application/octet-stream', blob: 'AAEC' },
    ])
    expect((await read(peer, 'memo://stream')).result.contents).toEqual([
      { uri: 'memo://stream', mimeType: 'text/plain', text: 'one two' },
    ])
  })

  it('RES-010 one read may return several contents', async (peer) => {
    expect((await read(peer, 'memo://several')).result.contents).toEqual([
      { uri: 'memo://several/1', text: 'one' },
      { uri: 'memo://several/2', blob: 'AAEC', mimeType: 'image/png' },
    ])
  })

  it('RES-006 a template receives its decoded variables', async (peer) => {
    expect((await read(peer, 'note://banana')).result.contents).toMatchObject([{ uri: 'note://banana', text: 'note banana' }])
    expect((await read(peer, 'file:///root/b/c.txt')).result.contents).toMatchObject([{ text: 'c' }])
    expect((await read(peer, 'file:///root/%C3%BCn%C3%AF.txt')).result.contents).toMatchObject([{ text: 'ü' }])
  })

  it('a resource and a template are found by equivalent URIs, as clients send them that parse URIs', async (peer) => {
    for (const uri of ['MEMO://text', 'memo://TEXT', 'memo://te%78t', 'memo://text/', 'memo://text:'])
      expect((await read(peer, uri)).result.contents, uri).toEqual([{ uri, mimeType: 'text/plain', text: 'memo' }])
    for (const uri of ['NOTE://banana', 'note://banan%61'])
      expect((await read(peer, uri)).result.contents, uri).toMatchObject([{ uri, text: 'note banana' }])
  })

  it('RES-006 the variables of a template are validated and converted', async (peer) => {
    expect((await read(peer, 'page://7')).result.contents).toMatchObject([{ text: '7 is followed by 8' }])
    expect((await read(peer, 'page://seven')).error).toMatchObject({ data: { uri: 'page://seven' } })
  })

  it('X a stream that exceeds maxBytes is stopped', async (peer) => {
    expect((await read(peer, 'memo://flood')).error?.code).toBe(-32603)
  })

  it('RES-012 RES-013 RES-015 a missing resource is rejected with the error code of the revision and its URI', async (peer, {
    revision,
  }) => {
    const code = revision === '2026-07-28' ? -32602 : -32002
    for (const uri of [
      'memo://nowhere',
      'memo://gone',
      'note://cherry',
      'note://apple/core',
      'file:///etc/passwd',
      'memo://__proto__',
    ])
      expect((await read(peer, uri)).error).toMatchObject({ code, data: { uri } })
  })

  it('RES-017 an invalid URI is rejected', async (peer) => {
    expect((await peer.request('resources/read', { uri: 7 })).error?.code).toBeLessThan(0)
    expect((await read(peer, 'no uri at all')).error?.code).toBeLessThan(0)
    expect((await read(peer, `note://${'x'.repeat(10_000)}`)).error?.code).toBeLessThan(0)
  })

  it('RES-020 U a path cannot escape the root of a template', async (peer) => {
    await readJournal(peer)
    const climbs = [
      '../secret',
      'a/../../secret',
      '%2e%2e/secret',
      'a/%2E%2E/%2e%2e/secret',
      '..%2fsecret',
      '..%5csecret',
      '%252e%252e/secret/..',
      '..',
    ]
    for (const path of climbs) expect((await read(peer, `file:///root/${path}`)).error?.code).toBeLessThan(0)
    expect((await readJournal(peer)).filter((entry) => /(^|[\\/ ])\.\.([\\/]|$)/.test(entry))).toEqual([])
  })
})
