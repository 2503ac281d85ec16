import { spawn } from 'node:child_process'
import { FIRST_ID } from './request.mjs'

export const ID_KEY = '"id":'

/** Splits the output of a program into lines; `onLines` receives the lines that a chunk completed. Each chunk is scanned once. */
function readLines(stream, onLines) {
  let rest = []
  stream.on('data', (chunk) => {
    const lines = chunk.latin1Slice().split('\n')
    rest.push(lines.shift())
    if (lines.length === 0) return
    lines.unshift(rest.join(''))
    rest = [lines.pop()]
    onLines(lines)
  })
}

/** A program that responds on its stdin and stdout. `onLines` and `onFail` belong to the current user; `nextId` is an unused id. */
class Program {
  nextId = FIRST_ID
  onLines
  onFail
  #child

  constructor({ command, args }) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    const fail = (error) => this.onFail?.(error)
    this.#child.on('error', fail)
    this.#child.on('exit', (code) => fail(new Error(`the program ended with ${code}`)))
    this.#child.stdin.on('error', fail)
    readLines(this.#child.stdout, (lines) => this.onLines?.(lines))
  }

  get pid() {
    return this.#child.pid
  }
  get stdin() {
    return this.#child.stdin
  }
  get stdout() {
    return this.#child.stdout
  }

  /** Sends one line and resolves to the lines of the response. */
  exchange(line) {
    return new Promise((resolve, reject) => {
      this.onLines = resolve
      this.onFail = reject
      this.stdin.write(`${line}\n`)
    })
  }

  close() {
    this.onFail = undefined
    return new Promise((resolve) => {
      this.#child.once('exit', resolve)
      this.#child.kill('SIGKILL')
    })
  }
}

const programs = new Map()

/** Returns the program with a process id. */
export const programOf = (pid) => programs.get(pid)

/** Starts a program, sends it `opening`, and returns its process id. Waits for the response to a request before it sends the next line. */
export async function openProgram({ command, args, opening }) {
  const program = new Program({ command, args })
  programs.set(program.pid, program)
  for (const line of opening) {
    if (line.includes(ID_KEY)) await program.exchange(line)
    else program.stdin.write(`${line}\n`)
  }
  return { pid: program.pid }
}

/** Stops a program. */
export async function closeProgram({ pid }) {
  const program = programs.get(pid)
  programs.delete(pid)
  await program.close()
}
