import { createServer } from 'portcall'
import { describeItems, hide, mount, rename, setArguments, tag, transform, visibility, withTags } from 'portcall/compose'
import { z } from 'zod'

const warehouse = createServer({ name: 'warehouse', version: '1.0.0' })
  .tool(
    'search_v2',
    { description: 'Search items', input: z.object({ text: z.string(), tenant: z.string(), limit: z.number() }) },
    ({ text, tenant, limit }) => `${limit} results for "${text}" in ${tenant}`,
  )
  .tool('delete_item', { description: 'Delete an item' }, () => 'Deleted')
  .tool('debug_dump', { description: 'Dump the database' }, () => '…')

/** Changed while the server runs: `maintenance.hide('warehouse__*')`. */
export const maintenance = visibility()

export const server = createServer({ name: 'shop', version: '1.0.0' })

mount(server, warehouse, {
  prefix: 'warehouse',
  middleware: [
    transform(
      hide('debug_*'),
      setArguments({ search_v2: { tenant: { fixed: ({ auth }) => String(auth?.tenant ?? 'demo') }, limit: { default: 20 } } }),
      rename({ search_v2: 'search' }),
      describeItems({ search: { description: 'Search what is in stock', annotations: { readOnlyHint: true } } }),
    ),
  ],
})

server.use(
  transform(
    tag({ admin: '*delete_*' }),
    withTags(({ auth }) => ({ exclude: auth?.scopes?.includes('admin') ? [] : ['admin'] })),
    maintenance,
  ),
)
