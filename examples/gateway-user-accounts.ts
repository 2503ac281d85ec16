import { jwt, protect } from 'portcall/auth/server'
import { createGateway, userAccounts } from 'portcall/gateway'
import { serve } from 'portcall/node'
import { sqliteStores } from 'portcall/stores/sqlite'

const {
  ORIGIN = 'https://gateway.example.com',
  ISSUER = 'https://login.example.com',
  NOTES = 'https://notes.example.com/mcp',
  SEALING_KEY = '',
  PORT = '3000',
  DATABASE = 'gateway.db',
} = process.env

const stores = sqliteStores(DATABASE)
const accounts = userAccounts({
  origin: ORIGIN,
  servers: { notes: { clientName: 'Example gateway' } },
  // The reverse proxy logs users in, and overwrites this header.
  identify: (request) => {
    const user = request.header('x-forwarded-user')
    return user === undefined ? undefined : `${ISSUER}#${user}`
  },
  store: stores.store,
  sealingKeys: [SEALING_KEY],
})
const gateway = createGateway({
  servers: { notes: { target: NOTES, credentials: accounts.credentials } },
  middleware: [accounts.middleware],
  stores,
})

const verify = jwt({ issuer: ISSUER, jwksUri: `${ISSUER}/jwks` })
const protection = protect({ resource: `${ORIGIN}/mcp`, authorizationServers: [ISSUER], verify })
const { url } = await serve(gateway, {
  ...protection,
  port: Number(PORT),
  onRequest: (request) => accounts.onRequest(request) ?? protection.onRequest(request),
})
console.log(`Listening at ${url}`)
