import { expect, test } from 'vitest'
import { adviceForOutput } from './served-url.ts'

test.each([
  ['Listening at http://127.0.0.1:3000/mcp', 'http://127.0.0.1:3000/mcp'],
  ['INFO:     Uvicorn running on http://0.0.0.0:8000 (Press CTRL+C to quit)', 'http://0.0.0.0:8000'],
  ['Server is up: https://localhost:8443.', 'https://localhost:8443'],
  ['{"url":"http://[::1]:80/mcp","level":30}', 'http://[::1]:80/mcp'],
  ['Fetching https://api.example.com/v1', undefined],
  ['', undefined],
])('%s', (output, url) => {
  const advice = url === undefined ? '' : `It seems to serve HTTP: connect to ${url}, or start it with its option for stdio`
  expect(adviceForOutput(output)).toBe(advice)
})
