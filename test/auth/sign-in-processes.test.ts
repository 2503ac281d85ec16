/** A web application with several processes: the one that starts a sign-in has exited when the user returns. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { createBrowser } from './support/browser.ts'
import { USER } from './support/provider.ts'
import { startTestServer } from './support/test-server.ts'

const PROCESS = fileURLToPath(new URL('support/sign-in-process.mjs', import.meta.url))

test('a sign-in is started, finished and used by three processes', async () => {
  const server = await startTestServer()
  const folder = temporaryFolder()
  const run = async (action: string, response = ''): Promise<string> => {
    const args = [PROCESS, action, server.url, join(folder, 'tokens.json'), response]
    return (await promisify(execFile)(process.execPath, args)).stdout
  }
  const signInUrl = await run('start')
  const returned = await createBrowser({ stopAt: 'http://127.0.0.1:9/callback' }).open(signInUrl)
  expect(await run('finish', returned.url)).toBe('finished')
  expect(JSON.parse(await run('call'))).toMatchObject({ subject: USER })
  expect(await run('finish', returned.url)).toBe('state_mismatch')
  expect(server.provider.grants).toEqual(['authorization_code'])
})
