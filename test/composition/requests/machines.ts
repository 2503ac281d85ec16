/** Docker Engine, Orthanc and Appwrite: archives, texts, binary bodies and results, several media types, three keys at once. */
import { expect } from 'vitest'
import { type DescriptionCases, json } from '../support/request-cases.ts'

const TAR = Buffer.from([0, 1, 2, 250, 251, 10, 13])
const DICOM = Buffer.from('DICM\0\xff', 'latin1')

export const DOCKER: DescriptionCases = {
  file: 'docker.com/engine',
  basePath: '/v1.33',
  cases: [
    {
      operation: 'PUT /containers/{id}/archive',
      about: 'an archive, with one of the media types that are described',
      args: { id: 'web', path: '/tmp/a b', body: { data: TAR.toString('base64'), contentType: 'application/x-tar' } },
      expected: {
        line: 'PUT /v1.33/containers/web/archive',
        query: [['path', '/tmp/a b']],
        headers: { 'content-type': 'application/x-tar', 'content-length': '7' },
        body: TAR,
      },
    },
    {
      operation: 'GET /containers/json',
      about: 'JSON in a text of the query; defaults are left to the API',
      args: { all: true, filters: '{"status":["paused"],"label":["a=b"]}' },
      expected: {
        line: 'GET /v1.33/containers/json',
        query: [
          ['all', 'true'],
          ['filters', '{"status":["paused"],"label":["a=b"]}'],
        ],
      },
      answer: json([]),
    },
    {
      operation: 'POST /images/{name}/tag',
      about: 'a path parameter with slashes, and 201 without a body',
      args: { name: 'registry.example:5000/team/app', repo: 'registry.example/app', tag: 'v1' },
      expected: {
        line: 'POST /v1.33/images/registry.example%3A5000%2Fteam%2Fapp/tag',
        query: [
          ['repo', 'registry.example/app'],
          ['tag', 'v1'],
        ],
        headers: { 'content-type': undefined },
      },
      answer: { status: 201 },
    },
    {
      operation: 'HEAD /containers/{id}/archive',
      about: 'HEAD',
      args: { id: 'web', path: '/etc/hosts' },
      expected: { line: 'HEAD /v1.33/containers/web/archive', query: [['path', '/etc/hosts']] },
      answer: { headers: { 'content-type': 'application/json', 'x-docker-container-path-stat': 'eyJuYW1lIjoiaG9zdHMifQ==' } },
    },
    {
      operation: 'POST /build',
      about: 'a header Content-type, which OpenAPI ignores, and an optional body that is left out',
      args: { t: 'app:1', remote: 'https://git.example/app.git', 'X-Registry-Config': 'e30=', rm: false },
      expected: {
        line: 'POST /v1.33/build',
        query: [
          ['t', 'app:1'],
          ['remote', 'https://git.example/app.git'],
          ['rm', 'false'],
        ],
        headers: { 'content-type': undefined, 'x-registry-config': 'e30=' },
      },
    },
    {
      operation: 'PUT /containers/{id}/archive',
      about: 'an error in plain text',
      args: { id: 'gone', path: '/', body: { text: '' } },
      expected: { line: 'PUT /v1.33/containers/gone/archive', query: [['path', '/']] },
      answer: { status: 404, headers: { 'content-type': 'text/plain' }, body: 'No such container: gone' },
      result: { isError: true, content: [{ type: 'text', text: expect.stringContaining('No such container: gone') }] },
    },
  ],
}

export const ORTHANC: DescriptionCases = {
  file: 'orthanc-server.com',
  cases: [
    {
      operation: 'POST /instances',
      about: 'a binary body without a schema, with the second media type',
      args: { body: { data: DICOM.toString('base64'), contentType: 'application/zip' } },
      expected: { line: 'POST /instances', headers: { 'content-type': 'application/zip' }, body: DICOM },
      answer: json({ ID: 'x' }),
    },
    {
      operation: 'PUT /instances/{id}/metadata/{name}',
      about: 'a text as body, and a header for conditions',
      args: { id: '6ff5-a', name: 'My Name', 'If-Match': '"3-4e07"', body: 'größe\n"quoted"' },
      expected: {
        line: 'PUT /instances/6ff5-a/metadata/My%20Name',
        headers: { 'content-type': expect.stringMatching(/^text\/plain/), 'if-match': '"3-4e07"' },
        body: 'größe\n"quoted"',
      },
    },
    {
      operation: 'GET /instances/{id}/content',
      about: 'a parameter whose name is three dots',
      args: { id: 'a', '...': '/0008-1140/1' },
      expected: { line: 'GET /instances/a/content', query: [['...', '/0008-1140/1']] },
      answer: { headers: { 'content-type': 'application/octet-stream' }, body: DICOM },
      result: { content: [{ type: 'resource', resource: { blob: DICOM.toString('base64') } }] },
    },
    {
      operation: 'GET /instances/{id}/file',
      about: 'a header Accept, which OpenAPI ignores: the types of the responses are asked for',
      args: { id: 'a' },
      expected: { line: 'GET /instances/a/file', headers: { accept: expect.stringContaining('application/dicom+json') } },
      answer: { headers: { 'content-type': 'application/dicom+json' }, body: '[{"00080005":{"vr":"CS"}}]' },
    },
  ],
}

export const APPWRITE: DescriptionCases = {
  file: 'appwrite.io/server',
  basePath: '/v1',
  auth: { JWT: 'jwt', Key: 'key', Project: 'project' },
  cases: [
    {
      operation: 'GET /database/collections/{collectionId}/documents',
      about: 'three keys at once, and a list of expressions',
      args: { collectionId: '5bed', filters: ['name=John Doe', 'category.$id>=5'], limit: 10 },
      expected: {
        line: 'GET /v1/database/collections/5bed/documents',
        query: [
          ['filters', 'name=John Doe'],
          ['filters', 'category.$id>=5'],
          ['limit', '10'],
        ],
        headers: { 'x-appwrite-jwt': 'jwt', 'x-appwrite-key': 'key', 'x-appwrite-project': 'project' },
      },
      answer: json({ sum: 0, documents: [] }),
    },
    {
      operation: 'POST /storage/files',
      about: 'a form with lists of texts',
      args: { body: { file: 'content', read: ['*', 'user:1'] } },
      expected: {
        line: 'POST /v1/storage/files',
        headers: { 'content-type': expect.stringMatching(/^multipart\/form-data; boundary=/) },
        parts: [
          { name: 'file', content: 'content' },
          { name: 'read', content: '*' },
          { name: 'read', content: 'user:1' },
        ],
      },
      answer: json({ $id: 'f' }, 201),
    },
  ],
}
