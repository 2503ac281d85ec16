/** EVE Online, Transport for London and Up: integers of 64 bits, lists in paths and queries, names with brackets, bodies of DELETE. */
import { expect } from 'vitest'
import { type DescriptionCases, json } from '../support/request-cases.ts'

export const EVE: DescriptionCases = {
  file: 'evetech.net',
  basePath: '/latest',
  auth: { evesso: 'token' },
  cases: [
    {
      operation: 'PUT /characters/{character_id}/contacts/',
      about: 'integers of 64 bits in one member of the query, a list as body, and 204',
      args: { character_id: 90000001, label_ids: ['9007199254740993', 12], standing: -2.5, watched: true, body: [1, 2147483647] },
      expected: {
        line: 'PUT /latest/characters/90000001/contacts/?label_ids=9007199254740993,12&standing=-2.5&watched=true',
        headers: { authorization: 'Bearer token', 'content-type': 'application/json' },
        body: '[1,2147483647]',
      },
      answer: { status: 204 },
    },
    {
      operation: 'POST /characters/{character_id}/assets/names/',
      about: 'integers of 64 bits in a body and in a result',
      args: { character_id: 90000001, datasource: 'tranquility', body: ['9007199254740993'] },
      expected: {
        line: 'POST /latest/characters/90000001/assets/names/',
        query: [['datasource', 'tranquility']],
        headers: { authorization: 'Bearer token' },
        body: '[9007199254740993]',
      },
      answer: { headers: { 'content-type': 'application/json' }, body: '[{"item_id":9007199254740993,"name":"Awesome"}]' },
      result: { content: [{ type: 'text', text: expect.stringContaining('9007199254740993') }] },
    },
    {
      operation: 'GET /characters/{character_id}/mail/',
      about: 'a condition that is met: 304 is no failure',
      args: { character_id: 90000001, 'If-None-Match': '"abc"', labels: [1, 2] },
      expected: {
        line: 'GET /latest/characters/90000001/mail/?labels=1,2',
        headers: { authorization: 'Bearer token', 'if-none-match': '"abc"' },
      },
      answer: { status: 304 },
      result: { content: [{ type: 'text', text: expect.stringMatching(/^304 Not Modified: nothing has changed/) }] },
    },
    {
      operation: 'GET /characters/{character_id}/mail/',
      about: 'a status of its own for too many errors',
      args: { character_id: 90000001 },
      expected: { line: 'GET /latest/characters/90000001/mail/' },
      answer: json({ error: 'Error limited' }, 420),
      result: { isError: true, content: [{ type: 'text', text: expect.stringContaining('Error limited') }] },
    },
  ],
}

export const TFL: DescriptionCases = {
  file: 'tfl.gov.uk',
  cases: [
    {
      operation: 'GET /Line/{ids}/Status/{StartDate}/to/{EndDate}',
      about: 'a list in the path, and names that differ in their case only',
      args: {
        ids: ['victoria', 'a/b', 'N133'],
        StartDate: '2024-01-01',
        EndDate: '2024-01-02',
        startDate: '2024-02-01',
        endDate: '2024-02-02',
        'dateRange.startDate': '2024-01-01T00:00:00+01:00',
        detail: false,
      },
      expected: {
        line: 'GET /Line/victoria,a%2Fb,N133/Status/2024-01-01/to/2024-01-02',
        query: [
          ['detail', 'false'],
          ['startDate', '2024-02-01'],
          ['endDate', '2024-02-02'],
          ['dateRange.startDate', '2024-01-01T00:00:00+01:00'],
        ],
      },
      answer: json([]),
    },
    {
      operation: 'GET /Journey/JourneyResults/{from}/to/{to}',
      about: 'a comma in a path parameter that is no list, and lists that repeat their name',
      args: { from: '51.5,-0.12', to: 'King’s Cross', mode: ['tube', 'bus'], nationalSearch: true },
      expected: {
        line: 'GET /Journey/JourneyResults/51.5%2C-0.12/to/King%E2%80%99s%20Cross',
        query: [
          ['nationalSearch', 'true'],
          ['mode', 'tube'],
          ['mode', 'bus'],
        ],
      },
      answer: json({ journeys: [] }),
    },
    {
      operation: 'GET /Journey/JourneyResults/{from}/to/{to}',
      about: 'several choices, which the description does not mention: the model can read them',
      args: { from: 'a', to: 'b' },
      expected: { line: 'GET /Journey/JourneyResults/a/to/b', headers: { accept: expect.stringContaining('application/json') } },
      answer: json({ toLocationDisambiguation: { matchStatus: 'list' } }, 300),
      result: { isError: true, content: [{ type: 'text', text: expect.stringContaining('matchStatus') }] },
    },
  ],
}

export const UP: DescriptionCases = {
  file: 'up.com.au',
  basePath: '/api/v1',
  auth: { bearer_auth: 'up:yeah:x' },
  cases: [
    {
      operation: 'GET /transactions',
      about: 'names with brackets',
      args: {
        'page[size]': 30,
        'filter[status]': 'HELD',
        'filter[since]': '2024-01-01T01:02:03+10:00',
        'filter[tag]': 'Pizza & Beer',
      },
      expected: {
        line: 'GET /api/v1/transactions',
        query: [
          ['page[size]', '30'],
          ['filter[status]', 'HELD'],
          ['filter[since]', '2024-01-01T01:02:03+10:00'],
          ['filter[tag]', 'Pizza & Beer'],
        ],
        headers: { authorization: 'Bearer up:yeah:x' },
      },
      answer: json({ data: [] }),
    },
    {
      operation: 'DELETE /transactions/{transactionId}/relationships/tags',
      about: 'DELETE with a body, and 204',
      args: { transactionId: 'c3feb4ba', body: { data: [{ type: 'tags', id: 'Holiday' }] } },
      expected: {
        line: 'DELETE /api/v1/transactions/c3feb4ba/relationships/tags',
        headers: { 'content-type': 'application/json' },
        body: '{"data":[{"type":"tags","id":"Holiday"}]}',
      },
      answer: { status: 204 },
    },
  ],
}
