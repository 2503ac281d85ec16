import { serveStdio } from 'portcall/stdio'
import { parseUpstream, startBridge } from './upstreams.ts'

const [, , upstream = '', recording = ''] = process.argv
await serveStdio(await startBridge(parseUpstream(upstream), recording, { singleUser: true }))
