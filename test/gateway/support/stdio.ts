import { serveStdio } from 'portcall/stdio'
import { parseUpstream, startBridge } from './upstreams.ts'

await serveStdio(await startBridge(parseUpstream(process.env.MATRIX_UPSTREAM ?? ''), { singleUser: true }))
