import { jwt, protect } from 'portcall/auth/server'
import { memoryStores } from 'portcall/stores'

const issuer = 'https://login.example.com'
const { store } = memoryStores()

/** Options of `serve` for a server that accepts only tokens that are bound to a key. */
export const protection = protect({
  resource: 'https://notes.example.com/mcp',
  authorizationServers: [issuer],
  verify: jwt({ issuer, jwksUri: `${issuer}/jwks` }),
  dpop: { required: true, store },
})
