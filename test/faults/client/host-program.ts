/** A host application: it starts a server through a shell, prints the pids of both, and exits on SIGUSR2. */
import { connect } from 'portcall/client'

const { script } = JSON.parse(process.argv[2] ?? '{}') as { script: string }
const client = await connect({ command: 'sh', args: ['-c', '"$0" -e "$1"; true', process.execPath, script] })
const { content } = await client.callTool('echo')
process.on('SIGUSR2', () => process.exit(0))
console.log((content[0] as { text: string }).text)
setInterval(() => {}, 1000)
