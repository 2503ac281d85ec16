import type { RequestHeaders } from './http1.ts'

/** A copy of headers as one text, which is split when one of them is read. */
export class CompactHeaders implements RequestHeaders {
  #text: string

  constructor(headers: RequestHeaders) {
    this.#text = copyText([...headers].map(([name, value]) => `${name}:${value}`).join('\n'))
  }

  get(name: string): string | undefined {
    for (const [other, value] of this) if (other === name) return value
    return undefined
  }

  *[Symbol.iterator](): Iterator<[name: string, value: string]> {
    for (const line of this.#text.split('\n')) {
      const colon = line.indexOf(':')
      yield [line.slice(0, colon), line.slice(colon + 1)]
    }
  }
}

/** Copies text that is ASCII. The copy does not keep the text in memory that the original is a part of. */
export function copyText(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1')
}
