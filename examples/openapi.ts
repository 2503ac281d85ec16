/** Serves the API of a ticket system. Its description is usually a file or a URL. */
import { fromOpenAPI, type OpenApiServer } from 'portcall/openapi'

const description = `
openapi: 3.1.0
info: { title: Tickets, version: 1.0.0 }
paths:
  /tickets:
    get:
      operationId: listTickets
      summary: List tickets
      parameters:
        - { name: status, in: query, schema: { enum: [open, closed] } }
        - { name: cursor, in: query, schema: { type: string } }
    post:
      operationId: createTicket
      summary: Create a ticket
      requestBody:
        required: true
        content:
          application/json:
            schema: { type: object, required: [title], properties: { title: { type: string } } }
  /admin/tickets:
    delete: { operationId: deleteAllTickets }
components:
  securitySchemes:
    token: { type: http, scheme: bearer }
security: [{ token: [] }]
`

// #region server
export function createTicketServer(baseUrl: string): Promise<OpenApiServer> {
  return fromOpenAPI(description, {
    baseUrl,
    auth: { token: () => process.env.TICKETS_TOKEN },
    routes: [{ path: '/admin/**', to: 'exclude' }],
    customize: ({ operationId }) => (operationId === 'listTickets' ? { select: ['id', 'title'] } : undefined),
  })
}
// #endregion
