import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { Tap } from './recorder.ts'

/** Writes what comes by stdin and goes by stdout to a file, line by line. Called before somebody writes, in the tick in which he reads. */
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
  let rest = ''
  return (bytes) => {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    appendFileSync(path, lines.map((line) => `${direction} ${line}\n`).join(''))
  }
}

/** Makes what reads on in such a file. */
export function readTee(path: string): (tap: Tap) => void {
  let position = 0
  return (tap) => {
    const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
    const end = bytes.lastIndexOf('\n') + 1
    const lines = bytes.subarray(position, end).toString().split('\n').slice(0, -1)
    position = Math.max(position, end)
    for (const line of lines) {
      const at = line.indexOf(' ')
      tap[line.slice(0, at) as 'sent' | 'received'](JSON.parse(line.slice(at + 1)))
    }
  }
}
