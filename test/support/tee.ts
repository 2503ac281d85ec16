import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { MessageObserver } from './recorder.ts'

/**
 * Copies stdin and stdout to a file, line by line. Call it before anything writes to stdout, in the same tick in which stdin starts to be
 * read.
 */
export function teeStdio(path: string, serve: () => void): void {
  const write = process.stdout.write.bind(process.stdout) as (...args: unknown[]) => boolean
  const out = lineTee(path, 'received')
  process.stdout.write = (text: unknown, ...rest: unknown[]) => {
    out(typeof text === 'string' ? Buffer.from(text) : (text as Uint8Array))
    return write(text, ...rest)
  }
  serve()
  process.stdin.prependListener('data', lineTee(path, 'sent'))
}

function lineTee(path: string, direction: 'sent' | 'received'): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder()
  let buffer = ''
  return (bytes) => {
    const lines = (buffer + decoder.decode(bytes, { stream: true })).split('\n')
    buffer = lines.pop() ?? ''
    appendFileSync(path, lines.map((line) => `${direction} ${line}\n`).join(''))
  }
}

/** Creates an observer that writes what it receives to a file, as `readTee` reads it. */
export function createTee(path: string): MessageObserver {
  const write =
    (kind: keyof MessageObserver) =>
    (value: unknown): void =>
      appendFileSync(path, `${kind} ${JSON.stringify(value)}\n`)
  return { sent: write('sent'), received: write('received'), head: write('head') }
}

/** Creates a function that reads the lines added to such a file since its last call. */
export function readTee(path: string): (observer: MessageObserver) => void {
  let position = 0
  return (observer) => {
    const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
    const end = bytes.lastIndexOf('\n') + 1
    const lines = bytes.subarray(position, end).toString().split('\n').slice(0, -1)
    position = Math.max(position, end)
    for (const line of lines) {
      const at = line.indexOf(' ')
      observer[line.slice(0, at) as keyof MessageObserver](JSON.parse(line.slice(at + 1)))
    }
  }
}
