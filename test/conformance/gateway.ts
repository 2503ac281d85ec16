/**
 * A bridge in front of the fixture, for the official conformance suite. The environment has the PORT to listen on, the URL of the fixture in
 * UPSTREAM, and the only revision to use for it in UPSTREAM_REVISION.
 */
import { bridge } from 'portcall/gateway'
import { serve } from 'portcall/node'

const { PORT, UPSTREAM = '', UPSTREAM_REVISION = '' } = process.env
const { url } = await serve(bridge(UPSTREAM, { protocolVersion: UPSTREAM_REVISION }), { port: Number(PORT) })
console.error(`The bridge listens on ${url}`)
