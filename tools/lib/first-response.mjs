import { spawn, spawnSync } from 'node:child_process'

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'cold', version: '1.0.0' } },
})

/** Starts a program with this Node and sends it one request. `onResponse` receives its first output; resolves when the process exits. */
function ask(args, onResponse) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    const tooLate = setTimeout(() => child.kill('SIGKILL'), 60_000)
    let errors = ''
    let answered = false
    child.stderr.on('data', (chunk) => {
      errors += chunk
      if (/heap \d+/.test(errors)) child.stdin.end()
    })
    child.stdout.once('data', (answer) => {
      answered = true
      onResponse(child, String(answer))
    })
    child.on('error', reject)
    child.on('close', () => {
      clearTimeout(tooLate)
      if (answered) resolve(errors)
      else reject(new Error(`no answer from ${args.join(' ')}: ${errors}`))
    })
    child.stdin.write(`${INITIALIZE}\n`)
  })
}

/** Measures the milliseconds from the start of a program to its first response. */
export async function firstResponseMs(program) {
  const start = performance.now()
  let ms = 0
  await ask([program], (child) => {
    ms = performance.now() - start
    child.stdin.end()
  })
  return ms
}

/** Measures the milliseconds from the start of a program to its exit. */
export function wholeRunMs(args) {
  const start = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  return performance.now() - start
}

/** Measures the heap in bytes after the first response and a garbage collection. */
export async function heapBytes(program, preload) {
  const errors = await ask(['--expose-gc', '--import', preload, program], (child) => child.kill('SIGUSR2'))
  return Number(/heap (\d+)/.exec(errors)[1])
}
