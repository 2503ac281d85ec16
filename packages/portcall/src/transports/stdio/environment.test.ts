import { expect, test } from 'vitest'
import { environmentFor } from './environment.ts'

const inherit = (env: Record<string, string>, added = {}): object => environmentFor(added, { platform: 'linux', env })

test('a program inherits how to reach the network, and not other variables', () => {
  const network = {
    HTTPS_PROXY: 'http://proxy.corp:3128',
    https_proxy: 'http://proxy.corp:3128',
    NO_PROXY: '.corp',
    NODE_EXTRA_CA_CERTS: '/etc/corp.pem',
    SSL_CERT_FILE: '/etc/corp.pem',
  }
  expect(inherit({ ...network, API_KEY: 'x', NODE_OPTIONS: '--require=x' })).toEqual(network)
  expect(inherit(network, { HTTPS_PROXY: undefined, NO_PROXY: '*' })).toMatchObject({ NO_PROXY: '*' })
  expect(inherit(network, { HTTPS_PROXY: undefined })).not.toHaveProperty('HTTPS_PROXY')
})

test.each(['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'])(
  'the password in %s is withheld',
  (name) => {
    expect(inherit({ [name]: 'http://user:secret@proxy.corp:3128' })).toEqual({})
    expect(inherit({ [name]: 'user:secret@proxy.corp:3128' })).toEqual({})
  },
)

test('on Windows, names are equal whatever their case', () => {
  const env = { HTTPS_PROXY: 'http://proxy.corp' }
  expect(environmentFor({ https_proxy: 'x' }, { platform: 'win32', env })).toEqual({ https_proxy: 'x' })
  expect(environmentFor({}, { platform: 'win32', env })).toEqual(env)
})
