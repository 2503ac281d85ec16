/** Trello, Jira, remove.bg and Plaid: alternatives of security, lists, any JSON, several media types, pictures and documents as results. */
import { expect } from 'vitest'
import { type DescriptionCases, json } from '../support/request-cases.ts'

const PNG = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
const PDF = Buffer.from('%PDF-1.7\n\xff', 'latin1')
const BASIC = `Basic ${Buffer.from('ada@example.com:token').toString('base64')}`

export const TRELLO: DescriptionCases = {
  file: 'trello.com',
  basePath: '/1',
  auth: { api_key: 'k', api_token: 't' },
  cases: [
    {
      operation: 'GET /actions/{idAction}',
      about: 'two keys that the description requires as parameters and offers as alternatives',
      args: { idAction: '5abb', fields: 'data,date' },
      expected: {
        line: 'GET /1/actions/5abb',
        query: [
          ['fields', 'data,date'],
          ['key', 'k'],
          ['token', 't'],
        ],
      },
      answer: json({ id: '5abb' }),
    },
    {
      operation: 'PUT /actions/{idAction}',
      about: 'the same with a body',
      args: { idAction: '5abb', body: { text: 'line 1\nline 2' } },
      expected: {
        line: 'PUT /1/actions/5abb',
        query: [
          ['key', 'k'],
          ['token', 't'],
        ],
        headers: { 'content-type': 'application/json' },
        body: '{"text":"line 1\\nline 2"}',
      },
    },
  ],
}

export const JIRA: DescriptionCases = {
  file: 'atlassian.com/jira',
  auth: { basicAuth: { username: 'ada@example.com', password: 'token' } },
  cases: [
    {
      operation: 'GET /rest/api/3/field/search',
      about: 'lists that repeat their name, a value with a plus sign, an integer of 64 bits',
      args: { startAt: '9007199254740993', type: ['custom', 'system'], id: ['a b', 'c'], orderBy: '+name' },
      expected: {
        line: 'GET /rest/api/3/field/search',
        query: [
          ['startAt', '9007199254740993'],
          ['type', 'custom'],
          ['type', 'system'],
          ['id', 'a b'],
          ['id', 'c'],
          ['orderBy', '+name'],
        ],
        headers: { authorization: BASIC },
      },
      answer: json({ values: [] }),
    },
    {
      operation: 'PUT /rest/api/3/issue/{issueIdOrKey}/properties/{propertyKey}',
      about: 'any JSON: a text',
      args: { issueIdOrKey: 'TEST-1', propertyKey: 'a.b/c?d#e', body: 'text' },
      expected: {
        line: 'PUT /rest/api/3/issue/TEST-1/properties/a.b%2Fc%3Fd%23e',
        headers: { 'content-type': 'application/json' },
        body: '"text"',
      },
      answer: { status: 201 },
    },
    {
      operation: 'PUT /rest/api/3/issue/{issueIdOrKey}/properties/{propertyKey}',
      about: 'any JSON: null',
      args: { issueIdOrKey: 'TEST-1', propertyKey: 'p', body: null },
      expected: {
        line: 'PUT /rest/api/3/issue/TEST-1/properties/p',
        headers: { 'content-type': 'application/json' },
        body: 'null',
      },
      answer: { status: 200 },
    },
    {
      operation: 'DELETE /rest/api/3/issue/{issueIdOrKey}',
      about: 'booleans that are texts, and 204',
      args: { issueIdOrKey: 'TEST-1', deleteSubtasks: 'true' },
      expected: {
        line: 'DELETE /rest/api/3/issue/TEST-1',
        query: [['deleteSubtasks', 'true']],
        headers: { authorization: BASIC },
      },
      answer: { status: 204 },
    },
    {
      operation: 'POST /rest/api/3/issue/{issueIdOrKey}/attachments',
      about: 'a form that is described as one file',
      args: {
        issueIdOrKey: 'TEST-1',
        body: { file: { data: PNG.toString('base64'), filename: 'a.png', contentType: 'image/png' } },
      },
      options: { headers: { 'x-atlassian-token': 'no-check' } },
      expected: {
        line: 'POST /rest/api/3/issue/TEST-1/attachments',
        headers: { 'x-atlassian-token': 'no-check', 'content-type': expect.stringMatching(/^multipart\/form-data; boundary=/) },
        parts: [{ name: 'file', filename: 'a.png', type: 'image/png', content: PNG.toString('latin1') }],
      },
      answer: json([{ id: '1' }]),
    },
    {
      operation: 'POST /rest/api/3/universal_avatar/type/{type}/owner/{entityId}',
      about: 'a body of any media type: a picture',
      args: { type: 'project', entityId: '1', size: 48, body: { data: PNG.toString('base64'), contentType: 'image/png' } },
      expected: {
        line: 'POST /rest/api/3/universal_avatar/type/project/owner/1',
        query: [['size', '48']],
        headers: { 'content-type': 'image/png' },
        body: PNG,
      },
      answer: json({ id: '1' }, 201),
    },
  ],
}

export const REMOVE_BG: DescriptionCases = {
  file: 'remove.bg',
  basePath: '/v1.0',
  auth: { APIKeyHeader: 'key' },
  cases: [
    {
      operation: 'POST /removebg',
      about: 'a number in a list of texts, and a result that is a picture',
      args: { body: { image_url: 'https://example.com/a.png', size: 'auto', type_level: '2', crop: true } },
      expected: {
        line: 'POST /v1.0/removebg',
        headers: { 'x-api-key': 'key', 'content-type': 'application/json' },
        body: '{"image_url":"https://example.com/a.png","size":"auto","type_level":"2","crop":true}',
      },
      answer: { headers: { 'content-type': 'image/png' }, body: PNG },
      result: { content: [{ type: 'image', mimeType: 'image/png', data: PNG.toString('base64') }] },
    },
    {
      operation: 'POST /removebg',
      about: 'the same operation as a form with a file',
      mediaType: 'multipart/form-data',
      args: {
        body: { image_file: { data: PNG.toString('base64'), filename: 'a.png', contentType: 'image/png' }, add_shadow: false },
      },
      expected: {
        line: 'POST /v1.0/removebg',
        headers: { 'x-api-key': 'key', 'content-type': expect.stringMatching(/^multipart\/form-data; boundary=/) },
        parts: [
          { name: 'image_file', filename: 'a.png', type: 'image/png', content: PNG.toString('latin1') },
          { name: 'add_shadow', content: 'false' },
        ],
      },
      answer: { headers: { 'content-type': 'image/png' }, body: PNG },
    },
    {
      operation: 'POST /removebg',
      about: 'the same operation as a plain form',
      mediaType: 'application/x-www-form-urlencoded',
      args: { body: { image_url: 'https://example.com/a.png?x=1&y=2', roi: '0% 0% 100% 100%' } },
      expected: {
        line: 'POST /v1.0/removebg',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'image_url=https%3A%2F%2Fexample.com%2Fa.png%3Fx%3D1%26y%3D2&roi=0%25+0%25+100%25+100%25',
      },
      answer: json({ errors: [{ title: 'Insufficient credits' }] }, 402),
      result: { isError: true, content: [{ type: 'text', text: expect.stringContaining('Insufficient credits') }] },
    },
  ],
}

export const PLAID: DescriptionCases = {
  file: 'plaid.com',
  auth: { clientId: 'id', secret: 's', plaidVersion: '2020-09-14' },
  cases: [
    {
      operation: 'POST /asset_report/pdf/get',
      about: 'three keys in headers, null, and a document as result',
      args: { body: { asset_report_token: 'assets-1', options: { days_to_include: null } } },
      expected: {
        line: 'POST /asset_report/pdf/get',
        headers: {
          'plaid-client-id': 'id',
          'plaid-secret': 's',
          'plaid-version': '2020-09-14',
          'content-type': 'application/json',
        },
        body: '{"asset_report_token":"assets-1","options":{"days_to_include":null}}',
      },
      answer: { headers: { 'content-type': 'application/pdf' }, body: PDF },
      result: { content: [{ type: 'resource', resource: { mimeType: 'application/pdf', blob: PDF.toString('base64') } }] },
    },
    {
      operation: 'POST /categories/get',
      about: 'an operation without security gets no keys',
      args: { body: {} },
      expected: {
        line: 'POST /categories/get',
        headers: { 'plaid-client-id': undefined, 'plaid-secret': undefined, 'content-type': 'application/json' },
        body: '{}',
      },
      answer: json({ categories: [] }),
    },
  ],
}
