/** Twilio, SendGrid and ElevenLabs: forms, odd names, header keys, files. */
import { expect } from 'vitest'
import { type DescriptionCases, json } from '../support/request-cases.ts'

const ACCOUNT = `AC${'0a'.repeat(16)}`
const CALL = `CA${'1b'.repeat(16)}`
const CALLS = `/2010-04-01/Accounts/${ACCOUNT}/Calls`
const BASIC = `Basic ${Buffer.from(`${ACCOUNT}:secret:with:colons`).toString('base64')}`
const WAV = Buffer.from([82, 73, 70, 70, 0, 255, 13, 10])

export const TWILIO: DescriptionCases = {
  file: 'twilio.com/api',
  auth: { accountSid_authToken: { username: ACCOUNT, password: 'secret:with:colons' } },
  cases: [
    {
      operation: 'GET /2010-04-01/Accounts/{AccountSid}/Calls.json',
      about: 'names with < and >, and Basic credentials with colons',
      args: {
        AccountSid: ACCOUNT,
        To: '+15550100',
        Status: 'in-progress',
        StartTime: '2024-01-03T00:00:00Z',
        'StartTime<': '2024-01-05T00:00:00Z',
        'StartTime>': '2024-01-01T00:00:00Z',
        PageSize: 50,
      },
      expected: {
        line: `GET ${CALLS}.json`,
        query: [
          ['To', '+15550100'],
          ['Status', 'in-progress'],
          ['StartTime', '2024-01-03T00:00:00Z'],
          ['StartTime<', '2024-01-05T00:00:00Z'],
          ['StartTime>', '2024-01-01T00:00:00Z'],
          ['PageSize', '50'],
        ],
        headers: { authorization: BASIC, 'content-type': undefined },
      },
      answer: json({ calls: [] }),
    },
    {
      operation: 'POST /2010-04-01/Accounts/{AccountSid}/Calls.json',
      about: 'a form with a list, a boolean and characters that forms escape',
      args: {
        AccountSid: ACCOUNT,
        body: {
          To: '+15550100',
          From: 'client:ada & bob',
          Twiml: '<Response><Say>100% = ü</Say></Response>',
          StatusCallbackEvent: ['initiated', 'answered'],
          Record: true,
          Timeout: 30,
        },
      },
      expected: {
        line: `POST ${CALLS}.json`,
        headers: { authorization: BASIC, 'content-type': 'application/x-www-form-urlencoded' },
        body: [
          'To=%2B15550100',
          'From=client%3Aada+%26+bob',
          'Twiml=%3CResponse%3E%3CSay%3E100%25+%3D+%C3%BC%3C%2FSay%3E%3C%2FResponse%3E',
          'StatusCallbackEvent=initiated',
          'StatusCallbackEvent=answered',
          'Record=true',
          'Timeout=30',
        ].join('&'),
      },
      answer: json({ sid: CALL }, 201),
    },
    {
      operation: 'DELETE /2010-04-01/Accounts/{AccountSid}/Calls/{Sid}.json',
      about: 'a parameter next to a suffix, and 204',
      args: { AccountSid: ACCOUNT, Sid: CALL },
      expected: { line: `DELETE ${CALLS}/${CALL}.json`, headers: { authorization: BASIC, 'content-length': undefined } },
      answer: { status: 204 },
    },
    {
      operation: 'DELETE /2010-04-01/Accounts/{AccountSid}/Calls/{Sid}.json',
      about: 'an error that the description does not mention',
      args: { AccountSid: ACCOUNT, Sid: CALL },
      expected: { line: `DELETE ${CALLS}/${CALL}.json` },
      answer: json({ code: 20404, message: 'The requested resource was not found', status: 404 }, 404),
      result: {
        isError: true,
        content: [{ type: 'text', text: expect.stringContaining('The requested resource was not found') }],
      },
    },
  ],
}

export const SENDGRID: DescriptionCases = {
  file: 'sendgrid.com',
  basePath: '/v3',
  auth: { Authorization: 'Bearer SG.key' },
  cases: [
    {
      operation: 'GET /contactdb/recipients/search',
      about: 'a name in braces; a default that is a sentence is not sent',
      args: { '{field_name}': 'ada@example.com' },
      expected: {
        line: 'GET /v3/contactdb/recipients/search',
        query: [['{field_name}', 'ada@example.com']],
        headers: { authorization: 'Bearer SG.key', 'on-behalf-of': undefined },
      },
      answer: json({ recipients: [] }),
    },
    {
      operation: 'DELETE /marketing/singlesends',
      about: 'a list in one member of the query',
      args: { ids: ['a', 'b,c', 'd'] },
      expected: {
        line: 'DELETE /v3/marketing/singlesends?ids=a,b%2Cc,d',
        headers: { authorization: 'Bearer SG.key' },
      },
      answer: { status: 204 },
    },
    {
      operation: 'GET /suppression/bounces',
      about: 'a required header Accept, which OpenAPI ignores, and a header with a value',
      args: { start_time: 1700000000, 'on-behalf-of': 'subuser' },
      expected: {
        line: 'GET /v3/suppression/bounces',
        query: [['start_time', '1700000000']],
        headers: { accept: expect.stringContaining('application/json'), 'on-behalf-of': 'subuser' },
      },
      answer: json([]),
    },
  ],
}

export const ELEVENLABS: DescriptionCases = {
  file: 'elevenlabs.io',
  cases: [
    {
      operation: 'POST /v1/voices/add',
      about: 'a list of files in a form',
      args: {
        'xi-api-key': 'key',
        body: {
          name: 'Ada "the" first',
          labels: '{"accent": "British"}',
          files: [
            { data: WAV.toString('base64'), filename: 'a.wav', contentType: 'audio/wav' },
            { text: 'second', filename: 'b "x".txt' },
          ],
        },
      },
      expected: {
        line: 'POST /v1/voices/add',
        headers: { 'xi-api-key': 'key', 'content-type': expect.stringMatching(/^multipart\/form-data; boundary=/) },
        parts: [
          { name: 'name', content: 'Ada "the" first' },
          { name: 'labels', content: '{"accent": "British"}' },
          { name: 'files', filename: 'a.wav', type: 'audio/wav', content: WAV.toString('latin1') },
          { name: 'files', filename: 'b "x".txt', type: expect.any(String) as never, content: 'second' },
        ],
      },
      answer: json({ voice_id: 'v' }),
    },
    {
      operation: 'POST /v1/text-to-speech/{voice_id}',
      about: 'allOf in a body, and a result that is sound',
      args: { voice_id: '21m00 Tcm/4', body: { text: 'Hello', voice_settings: { stability: 0.5, similarity_boost: 0.75 } } },
      expected: {
        line: 'POST /v1/text-to-speech/21m00%20Tcm%2F4',
        headers: { 'xi-api-key': undefined, 'content-type': 'application/json' },
        body: '{"text":"Hello","voice_settings":{"stability":0.5,"similarity_boost":0.75}}',
      },
      answer: { headers: { 'content-type': 'audio/mpeg' }, body: Buffer.from([255, 251, 0]) },
      result: { content: [{ type: 'audio', mimeType: 'audio/mpeg', data: Buffer.from([255, 251, 0]).toString('base64') }] },
    },
  ],
}
