import { connect } from 'portcall/client'
import { tasks } from 'portcall/tasks/client'

const [command, id = ''] = process.argv.slice(2)
const client = await connect(`http://127.0.0.1:${process.env.PORT}/mcp`, { extensions: [tasks()] })
if (command === 'start') {
  const started = await client.tasks.start('render')
  console.log('taskId' in started ? started.taskId : started)
} else {
  console.log(JSON.stringify((await client.tasks.open(id).result()).content))
}
await client.close()
