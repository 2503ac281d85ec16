import { bearerToken, clientCredentials } from 'portcall/auth/client'
import { callerIdentity, createGateway } from 'portcall/gateway'

const { CLIENT_SECRET = '', CRM_KEY = '', WIKI_TOKEN = '' } = process.env

const issuer = 'https://login.example.com'
const client = { clientId: 'gateway', clientSecret: CLIENT_SECRET, issuer }
const shared = {
  crm: { target: 'https://crm.example.com/mcp', headers: { 'x-api-key': CRM_KEY } },
  wiki: { target: 'https://wiki.example.com/mcp', auth: bearerToken(() => WIKI_TOKEN) },
  reports: { target: 'https://reports.example.com/mcp', auth: clientCredentials({ client }) },
}

const caller = callerIdentity({ client })
export const gateway = createGateway({
  servers: { ...shared, files: { target: 'https://files.example.com/mcp', credentials: caller.credentials } },
  middleware: [caller.middleware],
})
