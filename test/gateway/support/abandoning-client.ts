/** A client process that opens sessions, reports their ids to its parent, and waits to be killed. Arguments: a URL and the number of sessions. */
import { abandonMany } from './abandon.ts'

const [url = '', count = ''] = process.argv.slice(2)
process.send?.(await abandonMany(url, Number(count), 'keep'))
process.on('message', () => {})
